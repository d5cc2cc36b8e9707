/** `coterie constraints`: makes constraint sets from known classes, hierarchies and distances; `close` and `prune` change a set. */

import { badInput } from "@coterie/core/errors";
import {
  type BuiltConstraints,
  closeAsSet,
  closeConstraints,
  constraintsFromGeometry,
  countConstraints,
  generateBalanced,
  generateConstraints,
  type InstanceId,
  informativeTriplets,
  informativeTripletsOfClasses,
  labelConstraints,
  type Mix,
  oneHot,
  pruneSteps,
  randomFrom,
  randomTriplets,
  undividedLevel,
} from "@coterie/core/internal";
import { openBytes, parseHierarchy, type TableInstances, treeRows, writeConstraints } from "@coterie/data";
import { createLpSolver } from "@coterie/kernels";
import { CONSTRAINT_FLAG, type Command, DATA_FLAGS, type Io } from "../command.js";
import { type Flag, flagList, listOf, numberOf, type Parsed, seedOf, textOf, UsageError, type Values } from "../flags.js";
import { type Inputs, loadInputs, loadTable, type Provenance, unprinted, whatToRead } from "../inputs.js";
import { openOutputs } from "../outputs/outputs.js";
import { createProgress, runSteps } from "../progress.js";
import { constraintKinds } from "../text/sizes.js";
import { VERSION } from "../version.js";

/* `coterie constraints from-tree`: writes a small set of relative constraints that implies all relative constraints of a hierarchy. */

const FROM_TREE_FLAGS: readonly Flag[] = flagList({
  "--data DATA": "from-tree: table whose row ids are the leaves of TREE (default: no table, each leaf is an id)",
  "--unknown HOW": {
    choices: ["error", "drop"],
    description: "from-tree: for leaves that are not in DATA, stop with an error or drop them (default: error)",
  },
});

interface FromTree {
  readonly made: BuiltConstraints;
  readonly ids: readonly InstanceId[] | undefined;
  readonly source: () => Promise<Provenance | null>;
  readonly notices: readonly string[];
}

function fromTree(values: Values, positionals: readonly string[], io: Io): () => Promise<FromTree> {
  const [tree, ...rest] = positionals;
  const data = textOf(values, "data");
  if (rest.length > 0) throw new UsageError(`One tree at a time: what is "${rest[0]}"? A table is named with --data.`);
  if (values.constraints !== undefined) throw new UsageError("from-tree makes a set from a tree; it reads no --constraints.");
  if (tree !== undefined && values.truth !== undefined)
    throw new UsageError("Give either a tree or --truth: each is a hierarchy.");
  if (tree === undefined && (data === undefined || values.truth === undefined))
    throw new UsageError("Name the tree: coterie constraints from-tree TREE; or the classes: from-tree --data DATA --truth COL.");
  const levels = listOf(values, "truth") ?? [];
  if (values.truth !== undefined && levels.length === 0) throw new UsageError("--truth is empty. Name a column: --truth COLUMN.");
  const twice = levels.find((level, l) => levels.indexOf(level) < l);
  if (twice !== undefined) throw new UsageError(`--truth names the column "${twice}" twice.`);
  if (tree !== undefined && data === undefined && values.id !== undefined)
    throw new UsageError("--id is a column of a table: name the table with --data DATA.");
  if (tree === "-" && data === "-") throw new UsageError("Standard input can be read only once.");
  return () => (tree === undefined ? fromClasses(data!, levels, values, io) : fromHierarchy(tree, data, values, io));
}

async function fromClasses(data: string, levels: readonly string[], values: Values, io: Io): Promise<FromTree> {
  const table = await tableOf(data, { ...values, truth: levels.at(-1)! }, io, levels.slice(0, -1));
  const classes = [...(table.coarserTruth ?? []), table.truth!];
  const at = undividedLevel(classes);
  const order =
    at < 0
      ? []
      : [
          `No class of "${levels[at]}" has more than one "${levels[at + 1]}". Name the coarser column first (--truth order,genus).`,
        ];
  return {
    made: informativeTripletsOfClasses(...classes),
    ids: table.ids,
    source: sourceOf(table),
    notices: [...table.notices, ...order],
  };
}

async function tableOf(data: string, values: Values, io: Io, coarserTruth: readonly string[] = []): Promise<TableInstances> {
  const progress = createProgress(io, values.quiet === true);
  return await loadTable(data, values, io, progress, whatToRead(values), coarserTruth).finally(progress.clear);
}

function sourceOf(table: TableInstances | null): FromTree["source"] {
  return async () => table && { data: table.file, sha256: await table.contentHash(), version: VERSION };
}

async function fromHierarchy(tree: string, data: string | undefined, values: Values, io: Io): Promise<FromTree> {
  const table = data === undefined ? null : await tableOf(data, values, io);
  const unknown = textOf(values, "unknown") === "drop" ? "drop" : "error";
  const { hierarchy, n, ids, notices } = treeRows(parseHierarchy(await readText(tree), tree), table, { file: tree, unknown });
  return {
    made: informativeTriplets(n, hierarchy),
    ids,
    source: sourceOf(table),
    notices: [...(table?.notices ?? []), ...notices],
  };
}

async function readText(path: string): Promise<string> {
  const { chunks, file } = await openBytes(path);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  try {
    for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw badInput("The tree is not UTF-8 text.", { file, remedy: "Save it as UTF-8." });
    throw error;
  }
}

const JOBS = ["generate", "close", "prune", "from-tree", "from-geometry"] as const;

const GENERATE_FLAGS: readonly Flag[] = flagList({
  "--count, -n N": "generate, from-geometry: how many constraints to draw; prune: how many to drop",
  "--mix MIX":
    "generate: which pairs become constraints: random, proportional (must- and cannot-links in their ratio among all pairs), the share of must-links (such as 0.5), or the counts MUST:CANNOT (such as 30:20)",
  "--from WHAT": {
    choices: ["pairs", "labels", "triplets"],
    description: "generate: must- and cannot-links, labels of rows, or relative constraints on three rows (default: pairs)",
  },
  "--until-k K":
    "prune: drop constraints until the fractional chromatic number (a lower bound on the number of clusters) is at most K",
  "--strategy HOW": {
    choices: ["random", "balanced"],
    description: "generate: random takes pairs at random, balanced spreads cannot-links evenly over the rows (default: random)",
  },
  "--noise SHARE": "generate: share of wrong constraints, 0 to 1 (default: 0)",
});

const GEOMETRY_FLAGS: readonly Flag[] = flagList({
  "--separation X": "from-geometry: must-link rows closer than X, so that clusters lie at least X apart",
  "--diameter X": "from-geometry: cannot-link rows further apart than X, so that clusters are at most X wide",
  "--limit N": "from-geometry: maximum number of cannot-links; a larger set is an error (default: 1,000,000)",
});

const TABLE_FLAGS: readonly Flag[] = DATA_FLAGS.map((flag) =>
  flag.name === "truth"
    ? {
        ...flag,
        description:
          "column with known classes, for generate and from-tree; from-tree accepts several, coarsest first (order,genus); not used as a feature",
      }
    : flag,
);

export const constraintsCommand: Command = {
  name: "constraints",
  summary:
    "Makes constraint sets from known classes, hierarchies and distances. Writes a set in compact form (close), or drops constraints (prune).",
  usage: [
    "constraints generate DATA --truth COL --count N [--mix MIX] [--out FILE]",
    "constraints close DATA --constraints FILE [--out FILE]",
    "constraints prune DATA --constraints FILE (--count N | --until-k K) [--out FILE]",
    "constraints from-tree TREE [--data DATA] [--out FILE]",
    "constraints from-tree --data DATA --truth COL[,COL…] [--out FILE]",
    "constraints from-geometry DATA [--separation X] [--diameter X] [--count N] [--out FILE]",
  ],
  flags: [
    ...GENERATE_FLAGS,
    ...FROM_TREE_FLAGS,
    ...GEOMETRY_FLAGS,
    CONSTRAINT_FLAG,
    ...flagList({
      "--out, -o FILE": "write the constraints to FILE (default: standard output)",
    }),
    ...TABLE_FLAGS,
  ],
  notes: [
    "`close` writes the same constraints in compact form: a must-link from the first row of each component to each other row in it, and one cannot-link for each pair of components that must be apart. A contradiction is reported and gives the exit code 4.",
    "`from-tree` writes n-2 relative constraints for a binary hierarchy over n leaves, and (k-1)(n-k) for n rows of k classes. Every other relative constraint of the hierarchy follows from them.",
    "`prune` drops the constraints of the rows that are hardest to place. A fractional colouring finds these rows; it treats the rows that lie furthest apart in the data as cannot-linked.",
    "`from-geometry` writes a small set that implies the constraints on all pairs: a forest of must-links, and one cannot-link for each pair of groups that the must-links form. --count N draws N of all the pairs instead. Distances are Euclidean, in the units of the table (see --scale).",
  ],
  examples: {
    "sixty random pairs, constrained by the known classes":
      "coterie constraints generate iris-fisher --truth class --count 60 --out known.csv",
    "twenty must-links and thirty cannot-links":
      "coterie constraints generate sales.csv --id customer --truth segment --mix 20:30",
    "drop the ten most restrictive constraints":
      "coterie constraints prune iris-fisher --truth class --constraints known.csv --count 10",
    "a taxonomy (Newick or nested JSON) as relative constraints":
      "coterie constraints from-tree taxonomy.nwk --data animals.csv --id name --out known.csv",
    "the same from columns of classes, the coarsest first":
      "coterie constraints from-tree --data animals.csv --id name --truth order,genus --out known.csv",
    "must-links between rows closer than 0.3, cannot-links between rows further apart than 4":
      "coterie constraints from-geometry iris-fisher --truth class --separation 0.3 --diameter 4",
    "the same constraints in compact form": "coterie constraints close sales.csv --id customer --constraints known.csv",
  },
  run: constraintsJob,
};

async function constraintsJob({ values, positionals }: Parsed, io: Io): Promise<number> {
  const [name, ...others] = positionals;
  const [data, ...rest] = others;
  const job = JOBS.find((known) => known === name);
  if (!job)
    throw new UsageError(
      name === undefined ? `Say what to do: ${JOBS.join(", ")}.` : `constraints cannot "${name}"; it can ${JOBS.join(", ")}.`,
    );
  if (job === "from-tree") return await fromTreeJob({ values, positionals: others }, io);
  if (data === undefined || rest.length > 0) throw new UsageError(`Name one table: coterie constraints ${job} DATA.`);
  const make =
    job === "generate"
      ? generator(values)
      : job === "close"
        ? closer(values)
        : job === "prune"
          ? pruner(values, io)
          : measurer(values);
  const out = textOf(values, "out") ?? "-";
  // The output file can replace an input set only if both have the same name on the command line.
  const sets = listOf(values, "constraints") ?? [];
  const files = { writes: [{ path: out, sided: true }], reads: [data, ...sets], replaceable: sets };
  const outputs = openOutputs(files, io, values.quiet === true);
  // from-geometry compares distances with a length in the units of the table, so columns are not scaled.
  const scale = values.scale ?? (job === "from-geometry" ? "none" : undefined);
  const inputs = await loadInputs(
    data,
    scale === undefined ? values : { ...values, scale },
    io,
    createProgress(io, values.quiet === true),
    job === "prune" || job === "from-geometry" ? "points" : whatToRead(values),
  );
  const made = await make(inputs);
  const { instances } = inputs;
  const source = async () => ({ data: instances.file, sha256: await instances.contentHash(), version: VERSION });
  await outputs.write([{ path: out, pieces: writeConstraints(made, instances.ids), source }]);
  const notices = unprinted([...inputs.notices, ...made.notices], instances);
  if (!values.quiet) for (const notice of [...notices, summaryOf(made)]) io.say(notice);
  return 0;
}

async function fromTreeJob({ values, positionals }: Parsed, io: Io): Promise<number> {
  const work = fromTree(values, positionals, io);
  const out = textOf(values, "out") ?? "-";
  const reads = [...positionals, textOf(values, "data")];
  const outputs = openOutputs({ writes: [{ path: out, sided: true }], reads }, io, values.quiet === true);
  const { made, ids, source, notices } = await work();
  await outputs.write([{ path: out, pieces: writeConstraints(made, ids), source }]);
  if (!values.quiet) for (const notice of [...notices, ...made.notices, summaryOf(made)]) io.say(notice);
  return 0;
}

function generator(values: Values): (inputs: Inputs) => BuiltConstraints {
  const from = textOf(values, "from") ?? "pairs";
  const balanced = textOf(values, "strategy") === "balanced";
  const mix = mixOf(textOf(values, "mix"));
  const count = numberOf(values, "count", { integer: true, least: 0 });
  const noise = numberOf(values, "noise", { least: 0 }) ?? 0;
  const random = randomFrom(seedOf(values)).split("constraints");
  if (values.truth === undefined) throw new UsageError("Say which column has the classes: --truth COL.");
  if (values.constraints !== undefined) throw new UsageError("generate makes a set from the classes; it reads no --constraints.");
  if (count === undefined && typeof mix !== "object") throw new UsageError("Say how many constraints: --count N.");
  if (count !== undefined && typeof mix === "object")
    throw new UsageError("Give either --count N or a mix with both counts, such as --mix 20:30.");
  if (balanced && from !== "pairs") throw new UsageError(`--strategy balanced draws pairs, not ${from}.`);
  if (from !== "pairs" && textOf(values, "mix") !== undefined) throw new UsageError(`--mix is about pairs, not ${from}.`);
  const generate = balanced ? generateBalanced : generateConstraints;
  return ({ instances: { truth } }) => {
    if (from === "labels") return labelConstraints(truth!, count!, random);
    if (from === "triplets") return randomTriplets(truth!, { count: count!, random, noise });
    return generate(truth!, { ...(count === undefined ? {} : { count }), mix, noise, random });
  };
}

function mixOf(text: string | undefined): Mix {
  if (text === undefined || text === "random") return "random";
  if (text === "proportional") return "proportional";
  const numbers = /^(\d+):(\d+)$/.exec(text);
  if (numbers) return { mustLink: Number(numbers[1]), cannotLink: Number(numbers[2]) };
  const share = Number(text);
  if (text.trim() !== "" && share >= 0 && share <= 1) return share;
  throw new UsageError(`--mix is "${text}"; it must be random, proportional, a share from 0 to 1, or numbers such as 30:20.`);
}

function closer(values: Values): (inputs: Inputs) => BuiltConstraints {
  if (values.constraints === undefined) throw new UsageError("Say which set to close: --constraints FILE.");
  return ({ constraints, instances }) => closeAsSet(closeConstraints(constraints), instances.ids);
}

function pruner(values: Values, io: Io): (inputs: Inputs) => Promise<BuiltConstraints> {
  const count = numberOf(values, "count", { integer: true, least: 0 });
  const untilK = numberOf(values, "until-k", { integer: true, least: 1 });
  const effort = numberOf(values, "effort", { integer: true, least: 1 });
  const seed = seedOf(values);
  if (values.constraints === undefined) throw new UsageError("Say which set to prune: --constraints FILE.");
  if ((count === undefined) === (untilK === undefined)) throw new UsageError("Say when to stop: --count N or --until-k K.");
  const rule = count === undefined ? { untilK: untilK! } : { count };
  return async ({ constraints, instances }) => {
    const solver = await createLpSolver();
    const options = { ...rule, solver, seed, ...(effort === undefined ? {} : { effort }) };
    const progress = createProgress(io, values.quiet === true);
    const { set, dropped, notices } = await runSteps(pruneSteps(constraints, oneHot(instances).points, options), io, progress);
    return { ...set, notices: [...notices, `${dropped} dropped.`] };
  };
}

function measurer(values: Values): (inputs: Inputs) => BuiltConstraints {
  const given = (name: string) => numberOf(values, name, { least: 0 });
  const [separation, diameter] = [given("separation"), given("diameter")];
  const limit = numberOf(values, "limit", { integer: true, least: 0 });
  const count = numberOf(values, "count", { integer: true, least: 0 });
  if (separation === undefined && diameter === undefined)
    throw new UsageError("Say what shape clusters should have: --separation X, --diameter X, or both.");
  if (separation !== undefined && diameter !== undefined && diameter < separation)
    throw new UsageError(
      "--diameter must be at least --separation: pairs between the two distances would be must-linked and cannot-linked.",
    );
  if (values.constraints !== undefined)
    throw new UsageError("from-geometry makes a set from the table; it reads no --constraints.");
  const random = randomFrom(seedOf(values)).split("constraints");
  return ({ instances }) => {
    const { points, notices } = oneHot(instances);
    const made = constraintsFromGeometry(points, {
      ...(separation === undefined ? {} : { separation }),
      ...(diameter === undefined ? {} : { diameter }),
      ...(limit === undefined ? {} : { limit }),
      ...(count === undefined ? {} : { draw: { count, random } }),
    });
    return { ...made, notices: [...notices, ...made.notices] };
  };
}

function summaryOf(made: BuiltConstraints): string {
  if (countConstraints({ ...made, exclusive: [] }) === 0) return "The set is empty.";
  return `${constraintKinds({ ...made, exclusive: [] }).join(", ")}.`;
}

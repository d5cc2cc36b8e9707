/** `coterie reproduce`: repeats the experiments of the papers, with a verdict for each claim. */
import type { Item, Reproduced, Verdict } from "@coterie/experiments";
import type { Command, Io } from "../command.js";
import { flagList, type Parsed, seedOf, textOf, UsageError, workersOf } from "../flags.js";
import { createProgress } from "../progress.js";
import { wrap } from "../text/width.js";
import { followTrials } from "../trial-progress.js";
import { VERSION } from "../version.js";

const FOLDER = "reproduced";

export const reproduceCommand: Command = {
  name: "reproduce",
  summary: "Repeats the experiments of the papers, and checks each of their claims.",
  usage: ["reproduce [PAPER [FIGURE…]]… [--quick] [--out DIR]", "reproduce --list [PAPER] [--json]"],
  flags: flagList({
    "--list": "list papers, figures, tables and claims, with the data sets they need, and run nothing",
    "--quick": "run fewer trials, for a first look",
    "--draw": "run no trials; make the verdicts and pages again from the saved trials",
    "--out DIR": `folder for pages and raw data (default: ${FOLDER})`,
    "--json": "print the list, or the verdicts, as JSON",
  }),
  notes: [
    "PAPER is a name such as davidson2012; FIGURE is one of its figures, tables or claims, such as table-1. Without PAPER, everything runs. DIR gets the pages (Markdown and SVG), the raw data (CSV, with the seed of every trial) and a page with all claims.",
    "Every trial is saved as soon as it is done: after an interruption the same command continues there. A full run continues a quick run. Experiments whose data sets are not on this machine are listed and left out; `coterie data get NAME` downloads a set.",
  ],
  examples: {
    "list everything that can be run": "coterie reproduce --list",
    "a first look at everything": "coterie reproduce --quick",
    "one table, with all trials": "coterie reproduce davidson2012 table-1",
  },
  run: reproduceJob,
};

async function reproduceJob({ values, positionals }: Parsed, io: Io): Promise<number> {
  if (values.list) return await list(positionals, values.json === true, io);
  if (values.quick && values.draw) throw new UsageError("--draw runs nothing, so --quick has no meaning beside it.");
  const folder = textOf(values, "out") ?? FOLDER;
  if (folder === "-") throw new UsageError("--out names a folder: pages cannot go to standard output.");
  const { papers, reproduce } = await experiments();
  const quiet = values.quiet === true;
  const progress = createProgress(io, quiet);
  const workers = workersOf(values);
  const followed = followTrials(progress, io, "trial");
  try {
    const result = await reproduce(papers, {
      words: positionals,
      quick: values.quick === true,
      draw: values.draw === true,
      seed: seedOf(values),
      folder,
      ...(workers === undefined ? {} : { workers }),
      signal: io.signal,
      onProgress: followed.onProgress,
      onNotice: (sentence) => {
        if (!quiet) io.say(`Note: ${sentence}`);
      },
    }).finally(progress.clear);
    await printVerdicts(result, values.json === true, quiet, io);
    return 0;
  } catch (error) {
    if (!io.signal.aborted) throw error;
    io.say(followed.interruption(folder));
    return 130;
  }
}

const VERDICTS: readonly Verdict[] = ["holds", "holds in part", "does not hold", "not judged"];

async function printVerdicts({ claims, missing, claimsPage }: Reproduced, json: boolean, quiet: boolean, io: Io): Promise<void> {
  if (!quiet) {
    for (const { name, remedy } of missing) io.say(`Note: ${name} is not on this machine. ${remedy}`);
    const waiting = claims.filter(({ verdict }) => verdict === "not judged").length;
    if (waiting > 0) io.say(`Note: ${waiting} of ${claims.length} claims need these data and are not judged.`);
  }
  if (json) return await io.out(`${JSON.stringify(claims)}\n`);
  const papers = [...new Set(claims.map(({ paper }) => paper))];
  for (const paper of papers) {
    const counts = VERDICTS.flatMap((verdict) => {
      const count = claims.filter((claim) => claim.paper === paper && claim.verdict === verdict).length;
      return count === 0 ? [] : [`${count} ${verdict}`];
    });
    await io.print([`${paper.padEnd(14)}${counts.join(", ")}`]);
  }
  await io.out(`${claimsPage}\n`);
}

async function list(words: readonly string[], json: boolean, io: Io): Promise<number> {
  const { chosenItems } = await experiments();
  const items = chosenItems(words);
  await (json ? io.out(`${JSON.stringify(items)}\n`) : io.print(listLines(items, io.columns)));
  return 0;
}

function listLines(items: readonly Item[], columns: number): string[] {
  const lines: string[] = [];
  let paper = "";
  for (const item of items) {
    if (item.paper !== paper) lines.push(...(paper === "" ? [] : [""]), item.paper);
    paper = item.paper;
    if (item.kind === "claim") {
      const [first, ...rest] = wrap(item.title, Math.max(40, columns - 8));
      lines.push(`      - ${first}`, ...rest.map((line) => `        ${line}`));
    } else {
      lines.push(
        `  ${item.item}  ${item.title}`,
        `      needs ${item.needs.join(", ") || "no data"}; quick ${item.quick} s, full ${item.full} s of one core`,
      );
    }
  }
  return lines;
}

/** Loads the experiments. They are a large separate package that only this command needs, and that is not always installed. */
async function experiments(): Promise<typeof import("@coterie/experiments")> {
  try {
    return await import("@coterie/experiments");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    const install = `npm install @coterie/experiments@${VERSION}`;
    throw new UsageError(`The experiments are a package of their own, which is not installed. Install it with \`${install}\`.`);
  }
}

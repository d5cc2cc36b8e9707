/** A studio's back end for tests of the page alone: small, made up, and always the same. The real one has tests of its own. */

import {
  type Answered,
  type AskState,
  type Call,
  constraintOf,
  type Entry,
  type GivenAnswer,
  type KnowledgeReply,
  type NewEntry,
  ODD_KEYS,
  type Project,
  type ProjectEvent,
  type RunReply,
  tallyOf,
} from "@coterie/workbench/protocol";

import type { Client } from "../state/client.js";

const NAMES = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g", "island", "class"];
const CENTRES = [
  [38.8, 18.3, 190, 3700],
  [48.8, 18.4, 196, 3730],
  [47.5, 15, 217, 5080],
];
const SPREADS = [2.6, 1.1, 6.5, 440];

/** Numbers that look random and never change. */
function noise(i: number): number {
  const x = Math.sin(i * 12.9898) * 43758.5453;
  return x - Math.floor(x);
}

const normal = (i: number) => noise(i) + noise(i + 0.3) + noise(i + 0.6) + noise(i + 0.9) - 2;

function base64(values: Float32Array): string {
  return btoa(String.fromCharCode(...new Uint8Array(values.buffer)));
}

export interface FixtureOptions {
  readonly rows?: number;
  /** What Ask shows. */
  readonly asks?: "pair" | "triplet";
  /** Replies to routes, instead of the made-up ones. */
  readonly replies?: Readonly<Record<string, (input: never) => unknown>>;
}

export interface Fixture extends Client {
  readonly calls: { readonly name: string; readonly input: unknown }[];
  readonly entries: Entry[];
  readonly emit: (event: ProjectEvent) => void;
  /** Whether calls come through. */
  online: boolean;
}

export function fixture({ rows = 150, asks = "pair", replies: given = {} }: FixtureOptions = {}): Fixture {
  const classes = Array.from({ length: rows }, (_, row) => row % 3);
  const cells = classes.map((group, row) => [
    ...CENTRES[group]!.map((centre, i) => Number((centre + normal(row * 7 + i) * SPREADS[i]!).toFixed(i < 2 ? 1 : 0))),
    ["Torgersen", "Dream", "Biscoe"][group]!,
    ["Adelie", "Chinstrap", "Gentoo"][group]!,
  ]);
  const xy = Float32Array.from(
    cells.flatMap((cell, row) => {
      const z = SPREADS.map((spread, i) => (Number(cell[i]) - [44, 17.2, 201, 4200][i]!) / (spread * 1.6));
      return [(z[2]! + z[3]!) / 1.4, (z[0]! * 0.6 + z[1]!) / 1.2 + normal(row) * 0.05];
    }),
  );
  const entries: Entry[] = [];
  const calls: { name: string; input: unknown }[] = [];
  const listeners = new Set<(event: ProjectEvent) => void>();
  const emit = (event: ProjectEvent) => {
    for (const listener of listeners) listener(event);
  };
  let project = firstProject(rows);
  const runs: RunReply[] = [];

  const knowledge = (): KnowledgeReply => {
    const undone = new Set<string>();
    for (const { change } of entries) {
      if (change.type === "undo") undone.add(change.entry);
      if (change.type === "redo") undone.delete(change.entry);
    }
    const dropped = new Set(
      entries.flatMap(({ id, change }) => (change.type === "drop" && !undone.has(id) ? [change.entry] : [])),
    );
    const revised = new Map(
      entries.flatMap(({ id, change }) =>
        change.type === "revise" && !undone.has(id) ? [[change.entry, change.constraint] as const] : [],
      ),
    );
    const constraints = entries.flatMap(({ id, seq, by, at, from, change }) =>
      change.type === "add" && !undone.has(id) && !dropped.has(id)
        ? [{ entry: id, seq, constraint: revised.get(id) ?? change.constraint, by, at, from, counts: true }]
        : [],
    );
    const own = entries.filter(({ id, change }) => change.type !== "undo" && change.type !== "redo" && !undone.has(id));
    return {
      upTo: entries.length,
      constraints,
      disagreements: [],
      undo: own.at(-1)?.id ?? null,
      redo: [...undone].at(-1) ?? null,
    };
  };

  const answersNow = () => knowledge().constraints.filter(({ from }) => from.kind === "asked");
  const question = (number: number) => {
    const ids = Array.from({ length: asks === "pair" ? 2 : 3 }, (_, i) => 3 * number + i);
    const settles = { same: 0, different: 0 };
    return {
      question: ids.join("-"),
      number,
      kind: asks,
      rows: ids,
      ids,
      letters: ids.map((id) => id % 3),
      why: "Why.",
      settles,
    };
  };
  const ask = (): AskState => {
    const history = answersNow().map(({ constraint }) =>
      constraint.type === "unsure" ? ("unsure" as const) : ("same" as const),
    );
    const answered = history.length;
    return {
      strategy: "spreading",
      budget: 20,
      answered,
      question: question(answered + 1),
      why: null,
      worth: { questions: 5, why: "The last 10 answers moved 1.2 rows each." },
      taken: null,
      history,
    };
  };
  const answer = ({
    question: name,
    answer: given,
    by,
    id,
  }: {
    question: string;
    answer: GivenAnswer;
    by: string;
    id: string;
  }) => {
    const constraint = constraintOf(asks, name.split("-").map(Number), given)!;
    const odd = ODD_KEYS.find((key) => key === given);
    const from = { kind: "asked" as const, strategy: "spreading", number: 1, ...(odd ? { odd } : {}) };
    const [entry] = append({ entries: [{ id, by, from, change: { type: "add", constraint } }] });
    const clusterings = { before: null, after: null };
    const effect = { moved: [], joined: null, implied: 0, clusterings, broken: { before: 0, after: 0 } };
    return { entry: entry!, ...effect, milliseconds: 0, next: ask() } satisfies Answered;
  };
  const append = ({ entries: given }: { entries: NewEntry[] }) => {
    for (const entry of given)
      if (!entries.some(({ id }) => id === entry.id))
        entries.push({ ...entry, seq: entries.length + 1, at: "2026-01-01T00:00:00Z" });
    emit({ type: "knowledge", upTo: entries.length });
    return entries.slice(-given.length);
  };

  const replies: Readonly<Record<string, (input: never) => unknown>> = {
    info: () => INFO,
    listProjects: () => [project],
    createProject: () => project,
    upload: ({ name, bytes }: { name: string; bytes: Uint8Array }) => ({
      upload: "u",
      file: name,
      sha256: "0",
      bytes: bytes.length,
    }),
    project: () => ({ ...project, constraints: knowledge().constraints.length, runs: runs.length }),
    changeProject: ({ project: _, ...change }: Record<string, never>) => {
      project = {
        ...project,
        ...(change as Partial<Project>),
        reading: { ...project.reading, ...((change as Partial<Project>).reading ?? {}) },
      };
      return project;
    },
    columns: () => columnsOf(cells, project),
    ids: () => ({ ids: null }),
    rows: ({ rows: list }: { rows: string }) =>
      list.split(",").map((row) => ({ row: Number(row), id: Number(row), cells: cells[Number(row)] })),
    findRows: ({ text }: { text: string }) =>
      cells
        .flatMap((cell, row) =>
          String(row) === text || cell.some((value) => String(value).includes(text)) ? [{ row, id: row, cells: cell }] : [],
        )
        .slice(0, 12),
    values: ({ column }: { column: string }) => {
      const at = NAMES.indexOf(column);
      if (at < 4) return { values: base64(Float32Array.from(cells, (cell) => Number(cell[at]))), levels: null };
      return {
        values: base64(Float32Array.from(classes)),
        levels: at === 4 ? ["Torgersen", "Dream", "Biscoe"] : ["Adelie", "Chinstrap", "Gentoo"],
      };
    },
    map: () => ({
      space: "features",
      title: "PCA 1 × 2",
      axes: [
        { title: "PC 1: flipper_length_mm, body_mass_g", share: 0.688 },
        { title: "PC 2: bill_depth_mm, bill_length_mm", share: 0.193 },
      ],
      n: rows,
      xy: base64(xy),
    }),
    knowledge,
    append,
    ask,
    answer,
    diagnosis: () => ({
      upTo: entries.length,
      k: 3,
      milliseconds: 18,
      partial: false,
      diagnosis: diagnosisOf(knowledge()),
      advice: [],
      leastK: 2,
      recommended: { algorithm: "mpck-means", because: "it learns which columns matter." },
    }),
    advice: () => null,
    advise: ({ k }: { k: number }) => ({
      upTo: entries.length,
      k,
      state: "running",
      progress: null,
      problem: null,
      advised: null,
    }),
    runs: () => runs,
    startRun: ({ algorithm, options, seed }: { algorithm: string; options: Record<string, unknown>; seed: number }) => {
      const run = runOf(runs.length + 1, algorithm, options, seed, knowledge(), rows);
      runs.push(run);
      setTimeout(() => emit({ type: "run", run }), 0);
      return { ...run, state: "running", sizes: null, letters: null };
    },
    run: () => ({
      run: runs.at(-1),
      report: { labels: classes, violations: { mustLink: [], cannotLink: [], relative: [] } },
      current: true,
    }),
    ...given,
  };
  const back = {
    online: true,
    calls,
    entries,
    emit,
    call: (async (name: string, input: unknown) => {
      if (!back.online) throw new TypeError("Failed to fetch");
      calls.push({ name, input });
      const reply = replies[name];
      if (!reply) throw new Error(`The fixture does not answer ${name}.`);
      return structuredClone(reply(input as never));
    }) as Call,
    events: (_: string, signal: AbortSignal) => {
      if (!back.online) throw new TypeError("Failed to fetch");
      return eventsOf(listeners, entries.length, signal);
    },
  };
  return back;
}

async function* eventsOf(
  listeners: Set<(event: ProjectEvent) => void>,
  upTo: number,
  signal: AbortSignal,
): AsyncGenerator<ProjectEvent> {
  const queue: ProjectEvent[] = [{ type: "hello", upTo }];
  let wake = () => {};
  const listener = (event: ProjectEvent) => {
    queue.push(event);
    wake();
  };
  listeners.add(listener);
  signal.addEventListener("abort", () => wake());
  while (!signal.aborted) {
    while (queue.length > 0) yield queue.shift()!;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  listeners.delete(listener);
}

function firstProject(rows: number): Project {
  return {
    id: "penguins",
    name: "penguins",
    created: "2026-01-01T00:00:00Z",
    changed: "2026-01-01T00:00:00Z",
    data: { file: "penguins.csv", sha256: "0", bytes: 1 },
    reading: { truth: "class", ignore: ["island"], scale: "zscore", missing: "drop" },
    k: 3,
    policy: "latest",
    rows,
    leftOut: 2,
    columns: NAMES.length,
    constraints: 0,
    runs: 0,
    broken: null,
    notices: ['Column "class" looks like known classes: clusterings are scored with it, and it is not a feature.'],
  };
}

function columnsOf(cells: readonly (readonly (string | number)[])[], { reading }: Project) {
  return NAMES.map((name, i) => {
    const role =
      name === reading.truth
        ? "truth"
        : (reading.features ? reading.features.includes(name) : !reading.ignore?.includes(name))
          ? "feature"
          : "ignored";
    if (i >= 4) return { name, kind: "nominal", role, missing: 0, distinct: 3, counts: [50, 50, 50] };
    const values = cells.map((cell) => Number(cell[i]));
    const [min, max] = [Math.min(...values), Math.max(...values)];
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
    const counts = new Array<number>(20).fill(0);
    for (const value of values) counts[Math.min(19, Math.floor(((value - min) / (max - min)) * 20))]!++;
    return { name, kind: "number", role, missing: 0, min, max, mean, deviation, counts };
  });
}

function diagnosisOf({ constraints }: KnowledgeReply) {
  const must = new Set(
    constraints.flatMap(({ constraint: c }) => (c.type === "must-link" ? [`${c.a} ${c.b}`, `${c.b} ${c.a}`] : [])),
  );
  const contradictions = constraints.flatMap(({ constraint: c }) =>
    c.type === "cannot-link" && must.has(`${c.a} ${c.b}`) ? [{ cannotLink: [c.a, c.b], path: [c.a, c.b] }] : [],
  );
  return contradictions.length > 0
    ? { contradictions, feasible: false, components: [] }
    : { contradictions, feasible: true, components: [], points: [] };
}

function runOf(
  number: number,
  algorithm: string,
  options: Record<string, unknown>,
  seed: number,
  { constraints, upTo }: KnowledgeReply,
  rows: number,
): RunReply {
  return {
    number,
    spec: { algorithm, options, seed },
    title: INFO.methods.find(({ name }) => name === algorithm)!.title,
    state: "done",
    created: "2026-01-01T00:00:00Z",
    version: "0",
    upTo,
    used: tallyOf(constraints).checkable,
    given: tallyOf(constraints).checkable,
    progress: null,
    problem: null,
    milliseconds: 5,
    k: 3,
    sizes: [rows / 3, rows / 3, rows / 3],
    letters: [0, 1, 2],
    names: ["Adelie", null, null],
    broken: 0,
    objective: 1,
    scores: null,
  };
}

const SOFT = { mustLink: "soft", cannotLink: "soft", relative: "ignored", labels: "soft", exclusive: "soft" } as const;
const NONE = {
  mustLink: "ignored",
  cannotLink: "ignored",
  relative: "ignored",
  labels: "ignored",
  exclusive: "ignored",
} as const;
const OPTIONS = {
  properties: {
    k: { type: "integer", minimum: 1, description: "number of clusters" },
    metrics: {
      type: "string",
      enum: ["single", "multiple"],
      default: "single",
      description: "one metric for all clusters, or one for each",
    },
    restarts: { type: "integer", minimum: 1, default: 10, description: "starts" },
  },
};

const INFO = {
  version: "0",
  keeps: "memory",
  methods: [
    {
      name: "kmeans",
      title: "k-means",
      summary: "k groups around their means; looks at no constraint",
      paper: "",
      family: "partition",
      treats: NONE,
      options: OPTIONS,
    },
    {
      name: "mpck-means",
      title: "MPCK-means",
      summary: "k-means that learns which columns matter",
      paper: "",
      family: "partition",
      treats: SOFT,
      options: OPTIONS,
    },
  ],
  strategies: [
    {
      name: "spreading",
      title: "Spreading answers",
      summary: "asks about rows that are hard to place",
      needsK: false,
      asks: "pair",
      weighs: true,
      options: {},
    },
  ],
  samples: [{ name: "penguins", about: "three species by bill, flipper and mass", rows: 344, columns: 7, goodFor: "first look" }],
  limits: { uploadBytes: 1e9, rows: 1e6 },
} as const;

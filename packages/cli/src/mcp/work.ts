/** What the tools of `coterie mcp` do. Each returns plain JSON that is short enough for a language model to read. */
import {
  badInput,
  constraints,
  countConstraints,
  type InstanceId,
  idOf,
  type Question,
  type Report,
} from "@coterie/core/internal";
import { mergeConstraintSets, readTable, type TableInstances, writeConstraints, writeLabels, writeWhole } from "@coterie/data";
import { reportColumns, violationsInIds } from "@coterie/workbench";
import { readableRows } from "../ask/answering/question-line.js";
import { featureColumns, type ShownColumn } from "../ask/shown-columns.js";
import { ANSWERS, clusterRows, type Watched } from "../stdio/answers.js";
import { Dialogues } from "../stdio/dialogues.js";
import { SentArray } from "../stdio/frames.js";
import { checked } from "../stdio/requests.js";
import { constraintsIn, type Known } from "../stdio/tables.js";
import type { Folders } from "./folders.js";

type Json = Readonly<Record<string, unknown>>;

export interface TableInput {
  readonly path: string;
  readonly id?: string | undefined;
  readonly ignore?: readonly string[] | undefined;
}

/** Constraints by the ids of rows, or by row numbers where the table has no ids; and constraint files. */
export interface KnownInput {
  readonly must_link?: readonly (readonly InstanceId[])[] | undefined;
  readonly cannot_link?: readonly (readonly InstanceId[])[] | undefined;
  readonly labels?: readonly (readonly InstanceId[])[] | undefined;
  readonly constraint_files?: readonly string[] | undefined;
}

interface Clustered {
  readonly table: TableInput;
  readonly instances: TableInstances;
  readonly known: Known;
  readonly report: Report;
  /** Labels of the kept rows. */
  readonly labels: Int32Array;
}

interface Asked {
  readonly instances: TableInstances;
  readonly columns: readonly ShownColumn[];
}

/** Number of rows, violations and levels that a reply lists at most. */
const MOST_LISTED = 20;
const ROWS_SHOWN = 5;

export class Work {
  readonly #folders: Folders;
  readonly #dialogues = new Dialogues();
  readonly #asked = new Map<string, Asked>();
  readonly #runs: Clustered[] = [];

  constructor(folders: Folders) {
    this.#folders = folders;
  }

  async schema(table: TableInput, watched: Watched): Promise<Json> {
    const instances = await this.#read(table, watched);
    const columns = featureColumns(instances);
    const rows = Array.from({ length: Math.min(ROWS_SHOWN, instances.n) }, (_, row) => row);
    return {
      rows: instances.n,
      id_column: instances.idColumn ?? null,
      columns: reportColumns(instances).map((column, j) => ({
        ...column,
        ...(instances.levels?.[j] ? { values: instances.levels[j].length, some: instances.levels[j].slice(0, MOST_LISTED) } : {}),
      })),
      first_rows: rowsShown(rows, instances, columns),
      notices: instances.notices,
    };
  }

  async diagnose(table: TableInput, k: number | undefined, given: KnownInput, watched: Watched): Promise<Json> {
    const { instances, known } = await this.#readBoth(table, given, watched);
    const { mustLinks, cannotLinks, relative, labels } = known.set;
    const number = (row: number) => instances.rows[row]!;
    const tuples = (...columns: Int32Array[]) =>
      columns[0]!.length === 0 ? undefined : columns.map((column) => Array.from(column, number));
    const sent = {
      ...tuplesAs("mustLink", tuples(mustLinks.a, mustLinks.b)),
      ...tuplesAs("cannotLink", tuples(cannotLinks.a, cannotLinks.b)),
      ...tuplesAs("relative", tuples(relative.a, relative.b, relative.c)),
      ...(labels.row.length > 0
        ? { labels: { rows: arrayOf(Int32Array.from(labels.row, number)), codes: arrayOf(labels.code), names: labels.names } }
        : {}),
    };
    const request = {
      type: "diagnose",
      table: { path: instances.file },
      reading: readingOf(table),
      constraints: sent,
      ...(k === undefined ? {} : { k }),
    };
    const { diagnosis } = await ANSWERS.diagnose(checked("diagnose", request), watched);
    const { contradictions, feasible, chromaticNumber, advice, notices } = diagnosis as Json & {
      readonly contradictions: readonly unknown[];
    };
    return {
      constraints: countConstraints(known.set),
      feasible,
      clusters_needed: chromaticNumber ?? null,
      contradictions: contradictions.slice(0, MOST_LISTED),
      advice,
      notices,
    };
  }

  async ask(
    table: TableInput,
    wish: { readonly k?: number | undefined; readonly budget: number },
    given: KnownInput,
    watched: Watched,
  ): Promise<Json> {
    const { instances, known } = await this.#readBoth(table, given, watched);
    const request = {
      k: wish.k,
      strategy: undefined,
      options: {},
      budget: wish.budget,
      seed: 0,
      errorRate: 0 as const,
      explain: false,
      workers: undefined,
    };
    const { session, ...state } = await this.#dialogues.open(instances, known, request, watched);
    const asked = { instances, columns: featureColumns(instances) };
    this.#asked.set(session as string, asked);
    return { session, ...stateShown(state, asked), notices: instances.notices };
  }

  async answer(
    session: string,
    answer: string,
    about: { readonly confidence?: number | undefined; readonly why?: string | undefined },
    watched: Watched,
  ): Promise<Json> {
    const given = Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined));
    const state = await this.#dialogues.answer(checked("answer", { session, answer, ...given }), watched);
    return { session, ...stateShown(state, this.#asked.get(session)!) };
  }

  /** Clusters under constraints, and with a session also under its answers. */
  async cluster(
    table: TableInput,
    wish: {
      readonly k?: number | readonly number[] | undefined;
      readonly algorithm?: string | undefined;
      readonly session?: string | undefined;
    },
    given: KnownInput,
    watched: Watched,
  ): Promise<Json> {
    const { instances, known } = await this.#readBoth(table, await this.#withAnswers(given, wish.session, watched), watched);
    const options = wish.k === undefined ? {} : { k: wish.k };
    const request = {
      algorithm: wish.algorithm,
      options,
      seed: 0,
      internal: true,
      model: false,
      workers: undefined,
      reading: {},
    };
    const { report, done } = await clusterRows(instances, known, request, 0, watched);
    const { labels } = done.result;
    this.#runs.push({ table, instances, known, report, labels });
    const violations = violationsInIds(done.result.violations, instances);
    return {
      run: this.#runs.length,
      algorithm: report.chosen?.algorithm ?? report.algorithm,
      clusters: report.k,
      sizes: report.sizes,
      noise: report.noise,
      ...(report.names ? { names: report.names } : {}),
      ...(report.words ? { words: report.words } : {}),
      scores: report.internal ?? null,
      constraints: countConstraints(known.set),
      broken: Object.fromEntries(
        Object.entries(violations).map(([kind, list]) => [kind, { count: list.length, first: list.slice(0, MOST_LISTED) }]),
      ),
      notices: report.notices,
    };
  }

  async explain(run: number, watched: Watched): Promise<Json> {
    const { table, instances, labels } = this.#run(run);
    const all = new Int32Array(instances.total).fill(-1);
    labels.forEach((label, i) => {
      all[instances.rows[i]!] = label;
    });
    const request = { type: "explain", table: { path: instances.file }, reading: readingOf(table), labels: arrayOf(all) };
    const { fidelity, clusters, notices } = await ANSWERS.explain(checked("explain", request), watched);
    return { fidelity, clusters, notices };
  }

  async export(run: number, what: "labels" | "constraints" | "report", path: string, overwrite: boolean): Promise<Json> {
    const { instances, known, report, labels } = this.#run(run);
    const target = this.#folders.write(path, overwrite);
    const pieces =
      what === "labels"
        ? writeLabels(
            labels,
            instances.ids,
            undefined,
            report.names?.map((name) => name ?? ""),
          )
        : what === "constraints"
          ? writeConstraints(known.set, instances.ids)
          : [`${JSON.stringify(report)}\n`];
    await writeWhole(target, [...pieces].join(""), "Choose another path.");
    return { written: target, rows: labels.length };
  }

  async close(): Promise<void> {
    await this.#dialogues.closeAll();
  }

  #run(number: number): Clustered {
    const found = this.#runs[number - 1];
    if (found) return found;
    throw badInput(`There is no run ${number}.`, {
      remedy: this.#runs.length === 0 ? "Call cluster first." : `Runs are numbered from 1 to ${this.#runs.length}.`,
    });
  }

  async #read(table: TableInput, { signal }: Watched): Promise<TableInstances> {
    return await readTable(this.#folders.read(table.path), { ...readingOf(table), signal });
  }

  async #readBoth(table: TableInput, given: KnownInput, watched: Watched) {
    const instances = await this.#read(table, watched);
    const { must_link: mustLink = [], cannot_link: cannotLink = [], labels = [], constraint_files: files = [] } = given;
    const lists = { mustLink, cannotLink, labels, ids: "ids" } as Parameters<typeof constraints>[1];
    const listed = constraints(instances, lists);
    const set = { set: listed, notices: listed.notices };
    if (files.length === 0) return { instances, known: set };
    const real = files.map((file) => this.#folders.read(file));
    const read = await constraintsIn({ files: real }, instances, watched.signal);
    if (countConstraints(listed) === 0) return { instances, known: read };
    const merged = mergeConstraintSets([read.set, listed], instances);
    return { instances, known: { set: merged.set, notices: [...read.notices, ...merged.notices] } };
  }

  async #withAnswers(given: KnownInput, session: string | undefined, watched: Watched): Promise<KnownInput> {
    if (session === undefined) return given;
    const reply = await this.#dialogues.clusters(checked("clusters", { session }), watched);
    const { instances } = this.#asked.get(session)!;
    const rowIn = new Map(Array.from(instances.rows, (number, row) => [number, row]));
    const { mustLink, cannotLink } = reply.constraints as Record<"mustLink" | "cannotLink", number[][]>;
    const inIds = (pairs: number[][]) => pairs.map((pair) => pair.map((number) => idOf(instances, rowIn.get(number)!)));
    return {
      ...given,
      must_link: [...(given.must_link ?? []), ...inIds(mustLink)],
      cannot_link: [...(given.cannot_link ?? []), ...inIds(cannotLink)],
    };
  }
}

function readingOf({ id, ignore }: TableInput) {
  return { ...(id === undefined ? {} : { id }), ...(ignore === undefined ? {} : { ignore: [...ignore] }) };
}

function arrayOf(values: Int32Array): SentArray {
  return new SentArray(values);
}

function tuplesAs(name: string, columns: readonly number[][] | undefined): Json {
  if (!columns) return {};
  const width = columns.length;
  const values = Int32Array.from({ length: width * columns[0]!.length }, (_, p) => columns[p % width]![Math.floor(p / width)]!);
  return { [name]: new SentArray(values, [columns[0]!.length, width]) };
}

function rowsShown(rows: readonly number[], instances: TableInstances, columns: readonly ShownColumn[]) {
  return readableRows({ kind: "pair", ask: rows } as unknown as Question, instances, columns);
}

/** The state of a dialogue, with the cells of the rows that the question is about. */
function stateShown(state: Json, { instances, columns }: Asked): Json {
  const { question, why, answered, budget } = state as { question: { kind: string; rows: number[] } | null } & Json;
  if (!question) return { question: null, why, answered, budget };
  const rowIn = new Map(Array.from(instances.rows, (number, row) => [number, row]));
  const rows = rowsShown(
    question.rows.map((number) => rowIn.get(number)!),
    instances,
    columns,
  );
  const asks =
    question.kind === "pair"
      ? "Do these two rows belong together: same, different or unsure?"
      : "Which row is the odd one: a, b, c or unsure?";
  return { question: { asks, rows }, answered, budget };
}

/**
 * The table of a project as it is read now, with everything that depends on its rows: the constraints, the questions, the diagnosis.
 * Where the project reads its table in another way, or another policy applies, a new one takes its place.
 */
import type { AskInput, AskOutput } from "../compute/ask.js";
import type { TableFacts, TaskInput, TaskName, TaskOutput } from "../compute/tasks.js";
import { type ActiveConstraint, ConstraintLog, commonLength } from "../log/constraint-log.js";
import { type Naming, presentNames } from "../log/present-names.js";
import type { Watch } from "../pool.js";
import type { Entry } from "../protocol/knowledge.js";
import type { RouteReply } from "../protocol/routes.js";
import type { StoredProject } from "../store/store.js";
import type { Context, ReadTable } from "./context.js";
import type { OpenProject } from "./open-project.js";
import { Questions } from "./questions.js";

/** The newest diagnosis: the quick one at once, the full one when it is done. */
interface KeptDiagnosis {
  /** What it is about. */
  readonly key: string;
  readonly quick: Promise<RouteReply<"diagnosis">>;
  full?: RouteReply<"diagnosis">;
  isRunning?: true;
}

export class CurrentTable {
  readonly facts: TableFacts;
  readonly log: ConstraintLog;
  readonly questions: Questions;
  diagnosis: KeptDiagnosis | null = null;
  readonly #context: Context;
  readonly #table: ReadTable;
  #hash: string | (() => string);
  /** Puts an entry into the names that rows have now. */
  readonly presentName: (entry: Entry) => Entry;
  readonly #ids: ReadonlySet<string> | null;
  /** The constraints that the worker got last, by a name that no other table uses. */
  readonly #name = crypto.randomUUID();
  #sent: { readonly version: number; readonly active: readonly ActiveConstraint[] } | null = null;

  /** `namings`: how other columns named the rows before. */
  constructor(project: OpenProject, { data, reading, policy }: StoredProject, facts: TableFacts, namings: readonly Naming[]) {
    const { n, ids, rows } = facts;
    const columns = new Set(facts.columns);
    this.#context = project.context;
    this.#table = { data, reading };
    this.facts = facts;
    this.#ids = ids === null ? null : new Set(ids.map(String));
    this.presentName = presentNames(namings, facts);
    this.log = new ConstraintLog({ policy, hasRow: this.hasRow, hasColumn: (name) => columns.has(name) });
    this.#hash = () => hashOf(JSON.stringify([JSON.stringify([data.sha256, reading.id]), n, rows && [...rows]]));
    this.questions = new Questions(project, this);
  }

  /** Whether the table has a row of this id. */
  readonly hasRow = (id: string | number): boolean =>
    this.#ids === null ? /^(0|[1-9]\d*)$/.test(String(id)) && Number(id) < this.facts.n : this.#ids.has(String(id));

  /** The rows and what names them, as eight digits: questions about other rows have another hash. */
  get hash(): string {
    if (typeof this.#hash !== "string") this.#hash = this.#hash();
    return this.#hash;
  }

  /** Takes in what the log has beyond the entries that are here. */
  append(log: readonly Entry[]): void {
    this.log.append(log.slice(this.log.upTo).map(this.presentName));
  }

  run<N extends TaskName>(name: N, input: TaskInput<N>, watch?: Watch): Promise<TaskOutput<N>> {
    return this.#context.run(this.#table, name, input, watch);
  }

  /** The constraints that questions of a plan go by. */
  constraintsFor({ errorRate }: Pick<AskInput["plan"], "errorRate">): readonly ActiveConstraint[] {
    return errorRate === 0 ? this.log.active : this.log.weighed;
  }

  /** Asks for questions under the present constraints. A worker that has the constraints of the last question gets what changed since. */
  async ask(input: Omit<AskInput, "constraints">): Promise<AskOutput> {
    const active = this.constraintsFor(input.plan);
    const before = this.#sent;
    const version = before?.active === active ? before.version : (before?.version ?? 0) + 1;
    this.#sent = { version, active };
    const send = (since: number | null, kept: number) =>
      this.run("ask", { ...input, constraints: { of: this.#name, version, since, kept, more: active.slice(kept) } });
    const output = before ? await send(before.version, commonLength(before.active, active)) : null;
    return output ?? (await send(null, 0))!;
  }

  /** The log with one more entry, which is not kept: to look at what it would change. */
  logWith(stored: Pick<StoredProject, "policy">, log: readonly Entry[], more: Entry): ConstraintLog {
    const { hasRow } = this;
    const columns = new Set(this.facts.columns);
    const tried = new ConstraintLog({ policy: stored.policy, hasRow, hasColumn: (name) => columns.has(name) });
    tried.append([...log, more].map(this.presentName));
    return tried;
  }
}

function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

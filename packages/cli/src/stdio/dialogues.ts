/** Dialogues of `coterie serve --stdio`: open question sessions by their names. Each is the dialogue of `coterie ask` without a terminal. */
import { availableParallelism } from "node:os";
import { badOption, checkedOptions, DEFAULT_STRATEGY, type Report } from "@coterie/core/internal";
import type { TableInstances } from "@coterie/data";
import { type Dialogue, openDialogue } from "../ask/dialogue.js";
import { createHost, type NodeHost } from "../host.js";
import { arraysOf, type Reply, strategyNamed, type Watched } from "./answers.js";
import type { RequestOf } from "./requests.js";
import { constraintsIn, instancesIn, type Known } from "./tables.js";

interface Open {
  readonly dialogue: Dialogue;
  readonly instances: TableInstances;
  readonly host: NodeHost;
  /** Receives the progress of the dialogue and cancels it. Each request sets it. */
  watched: Watched;
}

export class Dialogues {
  readonly #open = new Map<string, Open>();
  #count = 0;

  async ask(request: RequestOf<"ask">, watched: Watched): Promise<Reply> {
    const strategy = wantedStrategy(request);
    const forCells = strategy.name === "duplicates" ? { forCells: true as const } : {};
    const instances = await instancesIn(request.table, { ...request.reading, ...forCells, signal: watched.signal });
    const known = await constraintsIn(request.constraints, instances, watched.signal);
    return await this.open(instances, known, request, watched);
  }

  async open(instances: TableInstances, known: Known, request: AskWish, watched: Watched): Promise<Reply> {
    const strategy = wantedStrategy(request);
    const host = await createHost(instances.n, request.workers ?? availableParallelism());
    const open: { watched: Watched } = { watched };
    const opening = {
      request: {
        strategy,
        options: checkedOptions(strategy.options, request.options),
        k: request.k,
        budget: request.budget,
        seed: request.seed,
        errorRate: request.errorRate,
        values: {},
        reading: {},
      },
      inputs: { instances, constraints: known.set, notices: [...instances.notices, ...known.notices] },
      log: null,
      path: "",
      data: undefined,
      kernels: host.host.kernels,
      acceptChanges: false,
      explain: request.explain,
    };
    const io = {
      get signal() {
        return open.watched.signal;
      },
    };
    const progress = { show: (step: Parameters<Watched["onStep"]>[0]) => open.watched.onStep(step), clear: () => {} };
    const dialogue = await openDialogue(opening, io, progress).catch(async (error) => {
      await host.close();
      throw error;
    });
    const session = String(++this.#count);
    this.#open.set(session, Object.assign(open, { dialogue, instances, host }));
    return { session, ...stateOf(dialogue, instances), notices: opening.inputs.notices };
  }

  async answer({ session, answer, confidence, why }: RequestOf<"answer">, watched: Watched): Promise<Reply> {
    const { dialogue, instances } = this.#at(session, watched);
    if (!dialogue.next()) throw badOption("answer", answer, "left out: there is no open question");
    const about = { ...(confidence === undefined ? {} : { confidence }), ...(why === undefined ? {} : { why }) };
    const given = Object.keys(about).length === 0 ? answer : [{ answer, ...about }];
    const [, change] = await dialogue.answer(given);
    return { ...stateOf(dialogue, instances), ...(change ? { change } : {}) };
  }

  async undo({ session }: RequestOf<"undo">, watched: Watched): Promise<Reply> {
    const { dialogue, instances } = this.#at(session, watched);
    const record = await dialogue.undo();
    return { ...stateOf(dialogue, instances), undone: record };
  }

  /** The clusters with the answers so far, and all constraints in force. */
  async clusters({ session }: RequestOf<"clusters">, watched: Watched): Promise<Reply> {
    const { dialogue, instances } = this.#at(session, watched);
    const { report, labels, constraints } = await dialogue.clusters();
    const { mustLinks, cannotLinks, relative } = constraints;
    return {
      ...arraysOf(report as Report, { result: { labels, k: report.k } as never }, instances),
      constraints: {
        mustLink: pairs(instances, mustLinks.a, mustLinks.b),
        cannotLink: pairs(instances, cannotLinks.a, cannotLinks.b),
        relative: pairs(instances, relative.a, relative.b, relative.c),
      },
    };
  }

  async close({ session }: RequestOf<"close">): Promise<Reply> {
    const open = this.#open.get(session);
    this.#open.delete(session);
    await open?.host.close();
    return {};
  }

  async closeAll(): Promise<void> {
    for (const session of [...this.#open.keys()]) await this.close({ session });
  }

  #at(session: string, watched: Watched): Open {
    const open = this.#open.get(session);
    if (!open) throw badOption("session", session, "the name of an open session, as the reply of ask has it");
    open.watched = watched;
    return open;
  }
}

type AskWish = Pick<RequestOf<"ask">, "k" | "strategy" | "options" | "budget" | "seed" | "errorRate" | "explain" | "workers">;

function wantedStrategy({ strategy: name = DEFAULT_STRATEGY, k, errorRate }: AskWish) {
  const strategy = strategyNamed(name);
  if (strategy.needsK && k === undefined) throw badOption("k", undefined, `given: the strategy ${name} needs it`);
  if (strategy.findsK && k !== undefined) throw badOption("k", k, `left out: the strategy ${name} finds the number of clusters`);
  if (errorRate !== 0 && name !== DEFAULT_STRATEGY)
    throw badOption("errorRate", errorRate, `0 with the strategy ${name}, which takes answers as law`);
  return strategy;
}

/** Tuples of row numbers in the sent table. */
function pairs({ rows }: TableInstances, ...columns: readonly Int32Array[]): number[][] {
  return Array.from(columns[0]!, (_, s) => columns.map((column) => rows[column[s]!]!));
}

function stateOf(dialogue: Dialogue, { rows }: TableInstances): Reply {
  const { question, why, worth, budget, answered } = dialogue.state;
  return {
    question: question && {
      number: dialogue.answers.length + 1,
      kind: question.kind,
      rows: question.rows.map((row) => rows[row]!),
      ids: question.ids,
      why: question.why,
      settles: question.settles,
    },
    why,
    worth,
    budget,
    answered,
  };
}

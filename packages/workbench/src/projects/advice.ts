/** Which method suits a project: one search at a time. Its progress is published, and anybody may stop it. */
import { badOption, CoterieError } from "@coterie/core/internal";
import type { AdviceReply } from "../protocol/advice.js";
import type { RouteRequest } from "../protocol/routes.js";
import type { StoredProject } from "../store/store.js";
import type { OpenProject } from "./open-project.js";
import { replyTo } from "./problems.js";

interface Search {
  readonly controller: AbortController;
  reply: AdviceReply;
  done: Promise<void>;
}

/** Progress is reported at most four times a second. */
const PROGRESS_MS = 250;

export class Advice {
  readonly #project: OpenProject;
  #search: Search | null = null;

  constructor(project: OpenProject) {
    this.#project = project;
  }

  /** The newest search; null if there was none. */
  get reply(): AdviceReply | null {
    return this.#search?.reply ?? null;
  }

  async stop(): Promise<void> {
    this.#search?.controller.abort();
    await this.#search?.done;
  }

  /** Stops the search and drops what it found: it is about another table or other constraints. */
  async reset(): Promise<void> {
    const search = this.#search;
    this.#search = null;
    search?.controller.abort();
    await search?.done;
  }

  async begin(stored: StoredProject, { k: wanted, seed }: RouteRequest<"advise">): Promise<AdviceReply> {
    const k = wanted ?? stored.k;
    if (k === null) throw badOption("k", undefined, "given: say how many clusters");
    const table = await this.#project.table(stored);
    const { n } = table.facts;
    if (k > n) throw new CoterieError({ code: "k-too-large", k, n });
    const { upTo, active } = table.log;
    const earlier = this.#search;
    if (earlier?.reply.state === "running") {
      if (earlier.reply.upTo === upTo && earlier.reply.k === k) return earlier.reply;
      earlier.controller.abort();
    }
    const controller = new AbortController();
    const { signal } = controller;
    const begun: AdviceReply = { upTo, k, state: "running", progress: null, problem: null, advised: null };
    const search: Search = { controller, reply: begun, done: Promise.resolve() };
    this.#search = search;
    const report = (change: Partial<AdviceReply>) => {
      search.reply = { ...search.reply, ...change };
      if (this.#search === search) this.#project.publish({ type: "advice", advice: search.reply });
    };
    let reported = -Infinity;
    const onStep = (progress: NonNullable<AdviceReply["progress"]>) => {
      if (performance.now() - reported < PROGRESS_MS) return;
      reported = performance.now();
      report({ progress: { ...progress } });
    };
    search.done = table.run("advise", { active, k, seed }, { signal, onStep }).then(
      ({ tried, leftOut, ...advised }) =>
        report({ state: "done", progress: null, advised: { ...advised, tried: [...tried], leftOut: [...leftOut] } }),
      (error: unknown) =>
        signal.aborted
          ? report({ state: "cancelled", progress: null })
          : report({ state: "failed", progress: null, problem: replyTo(error)?.problem.message ?? "The search failed." }),
    );
    return begun;
  }
}

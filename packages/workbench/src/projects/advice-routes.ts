/** Which method suits a project. One search for each project at a time; whoever looks hears how far it is, and anybody may stop it. */
import { badOption, CoterieError } from "@coterie/core/internal";
import type { AdviceReply } from "../protocol/advice.js";
import type { RouteReply, RouteRequest } from "../protocol/routes.js";
import { type Desk, factsOf, projectOf, sourceOf, standsIn } from "./desk.js";
import { replyTo } from "./problems.js";

interface Search {
  readonly controller: AbortController;
  reply: AdviceReply;
  done: Promise<void>;
}

const searches = new WeakMap<Desk, Map<string, Search>>();

function searchesOf(desk: Desk): Map<string, Search> {
  const all = searches.get(desk) ?? new Map<string, Search>();
  searches.set(desk, all);
  return all;
}

/** Progress is told at most four times a second. */
const PROGRESS_MS = 250;

export async function advice(desk: Desk, { project: id }: RouteRequest<"advice">): Promise<RouteReply<"advice">> {
  await projectOf(desk, id);
  return searchesOf(desk).get(id)?.reply ?? null;
}

/** Where the table is read in another way, another's word counts, or the project is gone: what was tried says nothing any more. */
export async function forgetAdvice(desk: Desk, id: string): Promise<void> {
  const search = searchesOf(desk).get(id);
  searchesOf(desk).delete(id);
  search?.controller.abort();
  await search?.done;
}

export async function stopAdvice(desk: Desk, { project: id }: RouteRequest<"stopAdvice">): Promise<RouteReply<"stopAdvice">> {
  await projectOf(desk, id);
  const search = searchesOf(desk).get(id);
  search?.controller.abort();
  await search?.done;
  return { ok: true };
}

export async function advise(desk: Desk, request: RouteRequest<"advise">): Promise<RouteReply<"advise">> {
  const project = await projectOf(desk, request.project);
  const k = request.k ?? project.k;
  if (k === null) throw badOption("k", undefined, "given: say how many clusters");
  const { n } = await factsOf(desk, project);
  if (k > n) throw new CoterieError({ code: "k-too-large", k, n });
  const { knowledge, said } = await standsIn(desk, project);
  const all = searchesOf(desk);
  const earlier = all.get(project.id);
  if (earlier?.reply.state === "running") {
    if (earlier.reply.upTo === knowledge.upTo && earlier.reply.k === k) return earlier.reply;
    earlier.controller.abort();
  }
  const controller = new AbortController();
  const begun: AdviceReply = { upTo: knowledge.upTo, k, state: "running", progress: null, problem: null, advised: null };
  const search: Search = { controller, reply: begun, done: Promise.resolve() };
  all.set(project.id, search);
  const tell = (change: Partial<AdviceReply>) => {
    search.reply = { ...search.reply, ...change };
    if (all.get(project.id) === search) desk.events.publish(project.id, { type: "advice", advice: search.reply });
  };
  let told = -Infinity;
  const onStep = (progress: NonNullable<AdviceReply["progress"]>) => {
    if (performance.now() - told < PROGRESS_MS) return;
    told = performance.now();
    tell({ progress: { ...progress } });
  };
  const input = { said, k, seed: request.seed };
  search.done = desk.compute.run(sourceOf(desk, project), "advise", input, { signal: controller.signal, onStep }).then(
    (advised) =>
      tell({ state: "done", progress: null, advised: { ...advised, tried: [...advised.tried], leftOut: [...advised.leftOut] } }),
    (error: unknown) =>
      controller.signal.aborted
        ? tell({ state: "cancelled", progress: null })
        : tell({ state: "failed", progress: null, problem: replyTo(error)?.problem.message ?? "The search failed." }),
  );
  return begun;
}

/** Ends all searches, as the studio closes. */
export async function stopSearches(desk: Desk): Promise<void> {
  const all = [...searchesOf(desk).values()];
  for (const { controller } of all) controller.abort();
  await Promise.all(all.map(({ done }) => done));
}

/**
 * The map of neighbourhoods of a project: one at a time. Progress is published, and anybody can stop it. The newest map is stored, so that it
 * need not be drawn again, and the next map starts from it: it moves little when columns, rows or constraints have changed.
 */
import type { ActiveConstraint } from "../log/constraint-log.js";
import { ReplyError } from "../protocol/reply-error.js";
import type { RouteReply, RouteRequest } from "../protocol/routes.js";
import type { StoredProject } from "../store/store.js";
import { float32sFrom, float32Text } from "./base64.js";
import type { OpenProject } from "./open-project.js";

interface StoredMap {
  /** Identifies the table, its reading, and the constraints of the map. */
  readonly key: string;
  readonly reading: StoredProject["reading"];
  readonly reply: RouteReply<"map">;
}

interface Drawing {
  readonly key: string;
  readonly controller: AbortController;
  readonly done: Promise<RouteReply<"map">>;
}

/** Progress is reported at most four times a second, and for the first time after a second. */
const PROGRESS_MS = 250;
const FIRST_MS = 1_000;

export class Neighbourhoods {
  readonly #project: OpenProject;
  #drawing: Drawing | null = null;

  constructor(project: OpenProject) {
    this.#project = project;
  }

  async stop(): Promise<void> {
    const drawing = this.#drawing;
    drawing?.controller.abort();
    await drawing?.done.catch(() => undefined);
  }

  async draw(stored: StoredProject, { by }: RouteRequest<"map">): Promise<RouteReply<"map">> {
    const { context } = this.#project;
    const active = by === "knowledge" ? (await this.#project.table(stored)).log.active : null;
    const key = `${context.sourceOf(stored).key} ${active ? JSON.stringify(active.map(({ constraint }) => constraint)) : ""}`;
    const before = await this.#stored();
    if (before?.key === key) return before.reply;
    if (this.#drawing?.key !== key) {
      await this.stop();
      this.#drawing = this.#begin(stored, key, active, before);
    }
    return await this.#drawing.done;
  }

  /** The stored map. A damaged one is drawn again. */
  async #stored(): Promise<StoredMap | null> {
    const { context, id } = this.#project;
    return await context.artifact<StoredMap>(id, 0, "map").catch(() => null);
  }

  #begin(stored: StoredProject, key: string, active: readonly ActiveConstraint[] | null, before: StoredMap | null): Drawing {
    const controller = new AbortController();
    const done = this.#work(stored, { key, active, before }, controller.signal).finally(() => {
      if (this.#drawing?.controller !== controller) return;
      this.#drawing = null;
      this.#project.publish({ type: "map", progress: null });
    });
    done.catch(() => undefined);
    return { key, controller, done };
  }

  async #work(
    stored: StoredProject,
    { key, active, before }: { key: string; active: readonly ActiveConstraint[] | null; before: StoredMap | null },
    signal: AbortSignal,
  ): Promise<RouteReply<"map">> {
    const { context, id } = this.#project;
    let reported = performance.now() + FIRST_MS - PROGRESS_MS;
    const onStep = ({ phase, done, total }: { phase: string; done: number; total: number | null }) => {
      if (performance.now() - reported < PROGRESS_MS) return;
      reported = performance.now();
      this.#project.publish({ type: "map", progress: { phase, done, total } });
    };
    try {
      const earlier = before ? await this.#positions(stored, before) : null;
      const input = { space: "neighbourhoods", active, before: earlier } as const;
      const { xy, ...facts } = await context.run(stored, "map", input, { signal, onStep });
      const reply = { ...facts, xy: float32Text(xy) };
      const kept: StoredMap = { key, reading: stored.reading, reply };
      await context.store.putArtifact(id, 0, "map", JSON.stringify(kept));
      return reply;
    } catch (error) {
      if (signal.aborted) throw new ReplyError(409, { code: "cancelled", message: "The map of neighbourhoods was stopped." });
      throw error;
    }
  }

  /** The earlier positions of the present rows; NaN for rows that the earlier map did not have. Null if it had less than half of them. */
  async #positions(stored: StoredProject, { reading, reply }: StoredMap): Promise<Float32Array | null> {
    const { context } = this.#project;
    const [now, then] = [await context.factsOf(stored), await context.factsOf({ data: stored.data, reading })];
    const xy = float32sFrom(reply.xy);
    const placeOf = new Map(Array.from({ length: then.n }, (_, row) => [then.rows?.[row] ?? row, row]));
    const positions = new Float32Array(2 * now.n).fill(NaN);
    let known = 0;
    for (let row = 0; row < now.n; row++) {
      const place = placeOf.get(now.rows?.[row] ?? row);
      if (place === undefined) continue;
      known++;
      positions.set(xy.subarray(2 * place, 2 * place + 2), 2 * row);
    }
    return 2 * known > now.n ? positions : null;
  }
}

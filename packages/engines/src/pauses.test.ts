import { planSteps } from "@coterie/core/scale";
import { afterEach, expect, test, vi } from "vitest";
import { drivePlan } from "./checkpoint.js";
import type { Engine } from "./engine.js";
import { createMemoryEngine } from "./memory/memory-engine.js";
import { blobs, known } from "./testing/problems.js";

const table = blobs(20_000, 3, 4, 9);
const { set, ids } = known(table, 40, 2);
const input = { method: "pck-means", options: { k: 4 }, constraints: set, ids, seed: 3, scale: "zscore" } as const;

afterEach(() => void vi.restoreAllMocks());

/** A clock by which a pause is always due. */
function hurry(): void {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => {
    now += 1000;
    return now;
  });
}

const model = async () => {
  const plan = planSteps(input);
  const engine = createMemoryEngine(table);
  const answers = { statistics: () => engine.statistics(), rows: () => engine.rows(ids), sample: () => engine.sample(2000, 3) };
  for (let turn = plan.next(); !turn.done; ) {
    const request = turn.value;
    if (request.ask === "pass") return request.model;
    turn = plan.next(request.ask in answers ? await answers[request.ask as "rows"]() : undefined);
  }
  throw new Error("a plan makes a pass");
};

test.each([
  ["statistics", (engine: Engine) => engine.statistics()],
  ["rows", (engine: Engine) => engine.rows(ids)],
  ["sample", (engine: Engine) => engine.sample(100, 1)],
  ["pass", async (engine: Engine) => engine.pass(await model())],
  ["label", async (engine: Engine) => engine.label(await model(), new Int32Array(ids.length))],
])("memory: a signal ends %s between two blocks of rows", async (_, ask) => {
  const controller = new AbortController();
  await model();
  hurry();
  const asked = ask(createMemoryEngine(table, { signal: controller.signal }));
  setImmediate(() => controller.abort());
  await expect(asked).rejects.toMatchObject({ name: "AbortError" });
});

test.each(["pck-means", "cop-kmeans"] as const)(
  "the driver's own work on constrained rows lets signals in: a plan of %s asks for pauses in every iteration",
  async (method) => {
    const engine = createMemoryEngine(table);
    const asked: string[] = [];
    const noted = function* () {
      const plan = planSteps({ ...input, method });
      for (let turn = plan.next(); ; ) {
        if (turn.done) return turn.value;
        asked.push(turn.value.ask);
        turn = plan.next(yield turn.value);
      }
    };
    await drivePlan(noted(), engine, {});
    const [, afterSample] = asked.join(" ").split("sample");
    const between = afterSample!.split(/pass|labels/).slice(1);
    expect(between.length).toBeGreaterThan(2);
    for (const each of between) expect(each).toContain("pause");
  },
);

test("a block of rows is small where clusters and columns are many, and the answer is the same", async () => {
  const wide = blobs(300, 400, 3, 1);
  const run = async (block?: number) => {
    const engine = createMemoryEngine(wide, block === undefined ? {} : { block });
    const plan = planSteps({ ...input, method: "kmeans", options: { k: 250, maxIterations: 1 }, ids: [] });
    const { outcome } = await drivePlan(plan, engine, {});
    return [outcome.history, outcome.sizes, (await engine.labelled()).labels];
  };
  expect(await run()).toEqual(await run(7));
});

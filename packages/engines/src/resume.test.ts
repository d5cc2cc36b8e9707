import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PlanState, planSteps } from "@coterie/core/scale";
import { expect, test } from "vitest";
import { openCheckpoint } from "./checkpoint.js";
import { drivePlan } from "./drive.js";
import { createMemoryEngine } from "./memory/memory-engine.js";
import { blobs, known } from "./testing/problems.js";

const table = blobs(600, 3, 4, 9);
const { set, ids } = known(table, 40, 2);

test.each([
  ["pck-means", { k: 5, restarts: 2 }],
  ["mpck-means", { k: 5, metrics: "multiple" }],
  ["cop-kmeans", { k: 6 }],
] as const)("%s cut off after any iteration goes on to the same end", async (method, options) => {
  const input = { method, options, constraints: set, ids, seed: 3, scale: "zscore" } as const;
  const states: PlanState[] = [];
  const keep = async (state: PlanState): Promise<void> => void states.push(state);
  const whole = await drivePlan(planSteps(input), createMemoryEngine(table), { keep });
  expect(states.length).toBeGreaterThan(3);
  const checkpoint = openCheckpoint(mkdtempSync(join(tmpdir(), "coterie-state-")));
  for (const state of states) {
    await checkpoint.keep(state, "f");
    const { state: from, fingerprint } = checkpoint.read();
    expect([from, fingerprint]).toEqual([state, "f"]);
    const rest = await drivePlan(planSteps({ ...input, from }), createMemoryEngine(table), {});
    expect(rest.outcome).toEqual(whole.outcome);
  }
  expect(readdirSync(checkpoint.folder)).toEqual(["state.json"]);
});

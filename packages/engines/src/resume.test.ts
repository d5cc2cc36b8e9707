import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CoterieError } from "@coterie/core/errors";
import { constraints, randomFrom, violationsOf } from "@coterie/core/internal";
import { type PlanInput, type PlanState, planSteps } from "@coterie/core/scale";
import { expect, test } from "vitest";
import { drivePlan, openCheckpoint } from "./checkpoint.js";

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

/** Constraints that hold by the classes, so that cop-kmeans can keep them. */
const [mustLink, cannotLink]: [number, number][][] = [[], []];
for (let i = 0; i + 1 < ids.length; i++)
  (table.classes[ids[i]!] === table.classes[ids[i + 1]!] ? mustLink! : cannotLink!).push([i, i + 1]);
const feasible = constraints({ n: ids.length }, { mustLink: mustLink!, cannotLink: cannotLink! });

const fuzzed = [
  { method: "cop-kmeans", options: { k: 6 }, constraints: feasible, ids, seed: 3, scale: "zscore" },
  { method: "mpck-means", options: { k: 5, restarts: 2 }, constraints: set, ids, seed: 3, scale: "none" },
] satisfies PlanInput[];

/** A state in the middle of a run, as a file; what the run ends with; and a way to go on from the file as it is now. */
async function stateOnDisk(input: PlanInput) {
  const states: PlanState[] = [];
  const keep = async (state: PlanState): Promise<void> => void states.push(state);
  const { outcome } = await drivePlan(planSteps(input), createMemoryEngine(table), { keep });
  const checkpoint = openCheckpoint(mkdtempSync(join(tmpdir(), "coterie-state-")));
  await checkpoint.keep(states[Math.floor(states.length / 2)]!, "f");
  const file = join(checkpoint.folder, "state.json");
  const goOn = async () => {
    const from = checkpoint.read().state;
    return (await drivePlan(planSteps({ ...input, from }), createMemoryEngine(table), {})).outcome;
  };
  return { file, text: readFileSync(file, "utf8"), outcome, goOn };
}

test.each(fuzzed)("$method: a state with changed bytes is refused, or the run ends as it would have", async (input) => {
  const { file, text, outcome, goOn } = await stateOnDisk(input);
  expect(await goOn()).toEqual(outcome);
  const random = randomFrom(11).split("mutants");
  for (let mutant = 0; mutant < 150; mutant++) {
    const bytes = [...Buffer.from(text)];
    const at = random.int(bytes.length);
    const kind = random.int(5);
    if (kind === 0) bytes[at] = random.int(256);
    else if (kind === 1) bytes.splice(at, 1 + random.int(40));
    else if (kind === 2) bytes.length = at;
    else if (kind === 3) bytes.splice(at, 0, ...bytes.slice(at, at + random.int(40)));
    // A digit for a digit: the JSON stays whole.
    else for (let p = at; p < bytes.length; p++) if (bytes[p]! > 47 && bytes[p]! < 58) bytes[p] = 48 + random.int(10);
    writeFileSync(file, Buffer.from(bytes));
    const end = await goOn().catch((error: unknown) => error);
    if (end instanceof CoterieError) expect(end.message).toMatch(/without --resume/);
    else expect(end).toEqual(outcome);
  }
});

test("a state of values nested without end is refused", async () => {
  const { file, text, goOn } = await stateOnDisk(fuzzed[0]!);
  const depth = 200_000;
  writeFileSync(file, `${text.trimEnd().slice(0, -1)},"more":${"[".repeat(depth)}${"]".repeat(depth)}}`);
  await expect(goOn()).rejects.toThrow(/does not match its checksum.*without --resume/);
});

type Json = Record<string, unknown>;

test.each(fuzzed)("$method: a false state under a true checksum is refused, or hard constraints are kept", async (input) => {
  const { file, text, goOn } = await stateOnDisk(input);
  const random = randomFrom(12).split("forged");
  const values = [0, -1, 1, 3, 0.5, 1e9, 1e300, -1e300, null, "x", [], {}, true];
  let refused = 0;
  for (let mutant = 0; mutant < 200; mutant++) {
    const { format, version, checksum: _, ...body } = JSON.parse(text) as Json;
    // Down to some part of the state, and another value there.
    for (let at = (body.state as Json) ?? {}; ; ) {
      const keys = Object.keys(at);
      const key = keys[random.int(keys.length)]!;
      const inner = at[key];
      if (typeof inner === "object" && inner !== null && Object.keys(inner).length > 0 && random.int(6) > 0) at = inner as Json;
      else {
        if (random.int(8) === 0) delete at[key];
        else at[key] = values[random.int(values.length)];
        break;
      }
    }
    const checksum = createHash("sha256").update(JSON.stringify(body)).digest("hex");
    writeFileSync(file, JSON.stringify({ format, version, checksum, ...body }));
    const end = await goOn().catch((error: unknown) => error);
    if (end instanceof Error) {
      expect(end).toBeInstanceOf(CoterieError);
      refused++;
    } else if (input.method === "cop-kmeans") {
      const { mustLink, cannotLink } = violationsOf(feasible, (end as Awaited<ReturnType<typeof goOn>>).placed);
      expect([mustLink, cannotLink]).toEqual([[], []]);
    }
  }
  expect(refused).toBeGreaterThan(50);
});

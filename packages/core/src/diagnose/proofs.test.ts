/** Checks every verdict of a diagnosis independently, from the constraints and the ids in the proof. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { constraints } from "../constraints/build.js";
import { diagnose } from "./with-data.js";

const N = 9;
const NAMES = Array.from({ length: N }, (_, i) => `row ${i}`);

interface AnyGiven {
  readonly must: readonly (readonly [number, number])[];
  readonly cannot: readonly (readonly [number, number])[];
  /** Class and source of each row; -1 for none. */
  readonly classes: readonly number[];
  readonly sources: readonly number[];
}

const pair = fc.tuple(fc.nat(N - 1), fc.nat(N - 1)).filter(([a, b]) => a !== b);
const anyGiven: fc.Arbitrary<AnyGiven> = fc.record({
  must: fc.array(pair, { maxLength: 4 }),
  cannot: fc.array(pair, { maxLength: 16 }),
  classes: fc.array(
    fc.integer({ min: -6, max: 3 }).map((code) => Math.max(-1, code)),
    { minLength: N, maxLength: N },
  ),
  sources: fc.array(
    fc.integer({ min: -6, max: 2 }).map((code) => Math.max(-1, code)),
    { minLength: N, maxLength: N },
  ),
});

function setOf({ must, cannot, classes, sources }: AnyGiven) {
  return constraints(
    { n: N, ids: NAMES },
    {
      mustLink: must,
      cannotLink: cannot,
      labels: classes.flatMap((code, row) => (code < 0 ? [] : [[row, `class ${code}`] as const])),
      exclusive: [{ column: "source", codes: Int32Array.from(sources), names: ["s", "t", "u"] }],
    },
  );
}

const apart = ({ cannot, classes, sources }: AnyGiven, a: number, b: number): boolean =>
  cannot.some(([p, q]) => (p === a && q === b) || (p === b && q === a)) ||
  (classes[a]! >= 0 && classes[b]! >= 0 && classes[a] !== classes[b]) ||
  (sources[a]! >= 0 && sources[a] === sources[b]);

const together = ({ must, classes }: AnyGiven, a: number, b: number): boolean =>
  must.some(([p, q]) => (p === a && q === b) || (p === b && q === a)) || (classes[a]! >= 0 && classes[a] === classes[b]);

/** Whether `count` elements can be labelled with k labels so that `allowed` holds for every pair. */
function canLabel(count: number, k: number, allowed: (i: number, j: number, same: boolean) => boolean): boolean {
  const labels: number[] = [];
  const place = (i: number): boolean => {
    if (i === count) return true;
    for (let c = 0; c < k; c++) {
      if (labels.slice(0, i).some((other, j) => !allowed(j, i, other === c))) continue;
      labels[i] = c;
      if (place(i + 1)) return true;
    }
    return false;
  };
  return place(0);
}

test("feasible with a colouring that keeps every constraint, infeasible with groups that fail on their own and are all needed", () => {
  const seen = { feasible: 0, core: 0, contradiction: 0 };
  fc.assert(
    fc.property(anyGiven, fc.integer({ min: 1, max: 4 }), (given, k) => {
      const { feasible, proof, contradictions } = diagnose(setOf(given), { k, ids: NAMES });
      const holds = canLabel(N, k, (a, b, same) => (same ? !apart(given, a, b) : !together(given, a, b)));
      expect(feasible).toBe(holds);
      if (contradictions.length > 0) {
        seen.contradiction++;
        for (const { cannotLink, path } of contradictions) {
          const rows = path.map((id) => NAMES.indexOf(String(id)));
          expect([path[0], path.at(-1)].map(String).sort()).toEqual(cannotLink.map(String).sort());
          for (let i = 1; i < rows.length; i++) expect(together(given, rows[i - 1]!, rows[i]!)).toBe(true);
        }
      } else if (proof && "colouring" in proof) {
        seen.feasible++;
        const cluster = (row: number): number | undefined => proof.colouring[NAMES[row]!];
        for (let a = 0; a < N; a++) {
          expect(cluster(a) ?? 0).toBeLessThan(k);
          for (let b = 0; b < a; b++) {
            if (apart(given, a, b)) expect(cluster(a)).not.toBe(cluster(b));
            if (together(given, a, b)) expect(cluster(a)).toBe(cluster(b));
          }
        }
      } else {
        seen.core++;
        const groups = (proof as { core: readonly (readonly string[])[] }).core.map((ids) => ids.map((id) => NAMES.indexOf(id)));
        const barred = (left: readonly (readonly number[])[]) => (i: number, j: number, same: boolean) =>
          !same || !left[i]!.some((a) => left[j]!.some((b) => apart(given, a, b)));
        expect(canLabel(groups.length, k, barred(groups))).toBe(false);
        groups.forEach((_, out) => {
          const left = groups.filter((_, i) => i !== out);
          expect(canLabel(left.length, k, barred(left))).toBe(true);
        });
      }
    }),
    { numRuns: 200, seed: 7 },
  );
  // Each kind of verdict occurred often enough.
  expect(Math.min(seen.feasible, seen.core, seen.contradiction)).toBeGreaterThan(10);
});

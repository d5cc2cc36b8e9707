/** The rule for judging claims: each cell of a claim gets a mark, and the marks together give the verdict. */
import { holm } from "@coterie/workbench/trials";
import type { Cell, Claim, Evidence, Extent, PageData, Verdict } from "./paper.js";

const CERTAIN = 0.05;
/**
 * Assumed share of exceptions for a claim about every trial. A claim gets a ✓ only if it has enough trials to find at least one exception
 * at this share.
 */
const EXCEPTIONS = 0.1;
/** The number of trials that find at least one exception with probability 1 - CERTAIN, if the share of exceptions is EXCEPTIONS. */
const ENOUGH = Math.ceil(Math.log(CERTAIN) / Math.log1p(-EXCEPTIONS));

export type Mark = "✓" | "✗" | "○";

export const RULE = [
  "A claim is split into cells, one comparison each. **✓**: the comparison certainly comes out as claimed. **✗**: the opposite is",
  "certain. **○**: not decided. Fewer trials never make a mark more certain: they turn ✓ and ✗ into ○.",
  "",
  "*Certain* is p < 0.05 after Holm's correction for all tested cells of the claim, by a two-sided test:",
  "",
  "- Means: a t-test, on paired differences if both sides saw the same constraints, and Welch's otherwise. If all n differences are",
  "  equal, p is 2^(1-n).",
  "- A share against a bound (“at least 90%”): the exact binomial test. Two shares: Fisher's exact test.",
  "- “Substantially”, “clearly”: the least difference that counts is printed with the claim.",
  "- “At least as accurate”: the difference plus the printed margin is certainly above 0 (✓) or below 0 (✗).",
  "- The largest of several values is above a bound: p is multiplied by the number of values.",
  "",
  "Other cells have their own bounds, without Holm's correction:",
  "",
  "- “Alike”: ✓ if the difference and two standard errors are within the printed bound, ✗ if the difference is beyond it and certain.",
  "- A printed number: ✓ if ours ± two standard errors is within the printed tolerance, ✗ if all of that interval is outside.",
  `- “Always”, “never”: one exception makes ✗. ✓ needs ${ENOUGH} trials: if 10% of all trials were exceptions, ${ENOUGH} trials would show one`,
  "  with a probability of 95%.",
  "- Facts without chance are ✓ or ✗.",
  "",
  "A claim about *every* cell **holds** if all cells are ✓, one about *most* (“generally”) if more than half are, one about *some*",
  "if at least one is. Else it **holds in part** if there are more ✓ than ✗, and otherwise it **does not hold**. A claim is judged",
  "on all data sets that it names, or not at all.",
].join("\n");

export interface Finding {
  readonly id: string;
  readonly quote: string | null;
  readonly section: string;
  readonly tested: string | null;
  readonly published: string;
  readonly about: Extent;
  readonly verdict: Verdict;
  readonly ours: string;
  readonly because: string | null;
  readonly missing: readonly string[];
  readonly cells: readonly { readonly row: string; readonly column: string; readonly mark: Mark; readonly said: string }[];
}

export function findingOf(claim: Claim, seen: PageData): Finding {
  const { id, quote = null, section, tested = null, published = "–", about = "every", needs } = claim;
  const facts = { id, quote, section, tested, published, about };
  const missing = needs ? needs.filter((name) => seen.missing.includes(name)) : seen.missing;
  if (missing.length > 0) {
    return { ...facts, verdict: "not judged", ours: `needs ${missing.join(", ")}`, because: null, missing, cells: [] };
  }
  const evidence = claim.judge(seen);
  const marks = marksOf(evidence.cells);
  const verdict = verdictOf(marks, about);
  return {
    ...facts,
    verdict,
    ours: oursOf(evidence, marks),
    because: verdict === "holds" ? null : (evidence.because ?? null),
    missing,
    cells: evidence.cells.map(({ row, column, said }, at) => ({ row, column, said, mark: marks[at]! })),
  };
}

export function marksOf(cells: readonly Cell[]): Mark[] {
  const tested = cells.map((cell) => (cell.kind === "difference" || cell.kind === "even" ? cell.p : null));
  const corrected = holm(tested.filter((p) => p !== null));
  let next = 0;
  return cells.map((cell, at) => markOf(cell, tested[at] === null ? 1 : corrected[next++]!));
}

function markOf(cell: Cell, p: number): Mark {
  switch (cell.kind) {
    case "difference":
      if (!(p < CERTAIN)) return "○";
      if (cell.difference < 0) return "✗";
      return cell.difference >= (cell.least ?? 0) ? "✓" : "○";
    case "even":
      // p is NaN if no test was possible, because a single trial has no standard error.
      if (Number.isNaN(cell.p)) return "○";
      if (Math.abs(cell.difference) > cell.most) return p < CERTAIN ? "✗" : "○";
      return Math.abs(cell.difference) + 2 * cell.error <= cell.most ? "✓" : "○";
    case "number": {
      const off = Math.abs(cell.ours - cell.published);
      if (off + 2 * cell.error <= cell.within) return "✓";
      return off - 2 * cell.error > cell.within ? "✗" : "○";
    }
    case "fact":
      if (!cell.holds) return "✗";
      return (cell.trials ?? ENOUGH) >= ENOUGH ? "✓" : "○";
  }
}

export function verdictOf(marks: readonly Mark[], about: Extent): Verdict {
  const yes = marks.filter((mark) => mark === "✓").length;
  const no = marks.filter((mark) => mark === "✗").length;
  const enough = { every: marks.length, most: Math.floor(marks.length / 2) + 1, some: 1 }[about];
  if (marks.length > 0 && yes >= enough) return "holds";
  return yes > no ? "holds in part" : "does not hold";
}

function oursOf({ cells, ours }: Evidence, marks: readonly Mark[]): string {
  if (cells.length === 1 && !ours) return cells[0]!.said;
  const count = (mark: Mark): number => marks.filter((one) => one === mark).length;
  const counts = `${count("✓")} of ${cells.length} cells ✓, ${count("✗")} ✗, ${count("○")} ○`;
  return ours ? (cells.length === 1 ? ours : `${ours} (${counts})`) : counts;
}

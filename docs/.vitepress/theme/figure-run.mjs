/** Runs a method on a few rows in the plane and returns its steps as frames: the cluster of each row, and what to draw beside it. */
import { catalogue, constraints, pointsFromRows } from "@coterie/core/internal";

const MOST_FRAMES = 24;

/** @returns {{ labels: number[], centres?: number[][], lines?: number[][], text: string }[]} */
export function framesOf(name, rows, known, { k, moves, init }) {
  const method = catalogue.find((each) => each.name === name);
  const points = { ...pointsFromRows(rows, ["x", "y"]), scaleGiven: true };
  const set = constraints(points, known);
  const options = k === undefined ? {} : { k: Math.min(k, rows.length) };
  const run = (more = {}) => method(points, set, { ...options, ...more, seed: 1 });
  const brokenIn = ({ violations: { mustLink, cannotLink, relative } }) => mustLink.length + cannotLink.length + relative.length;
  const end = (result) => `${plural(result.k, "cluster")}, ${plural(brokenIn(result), "constraint")} broken`;
  if (moves === "iterations") return iterations(run, init, end);
  if (moves === "merges") return merges(run(), rows, end);
  if (moves === "leaves") return leaves(run, end);
  if (moves === "candidates") return candidates(run, points, set, options, end);
  const result = run();
  return [
    start(rows),
    {
      labels: [...result.labels],
      centres: result.centres?.map((each) => [...each]),
      broken: result.violations,
      text: end(result),
    },
  ];
}

const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
const start = (rows) => ({ labels: rows.map(() => -1), text: "The rows, before the first step" });

/** The method stopped after 1, 2, 3, … iterations of one start. */
function iterations(run, init, end) {
  const frames = [];
  const one = (maxIterations) => {
    try {
      return run({ maxIterations, restarts: 1, ...(init ? { init } : {}) });
    } catch (error) {
      if (!/restarts|init/i.test(error.message)) throw error;
      return run({ maxIterations });
    }
  };
  for (let i = 1; i <= MOST_FRAMES; i++) {
    const result = one(i);
    const isLast = result.stopped !== "max-iterations";
    frames.push({
      labels: [...result.labels],
      centres: result.centres?.map((each) => [...each]),
      broken: result.violations,
      text: `Iteration ${i}: ${end(result)}`,
    });
    if (isLast) break;
  }
  const first = frames[0];
  return [{ labels: first.labels.map(() => -1), text: "The rows, before the first step" }, ...frames];
}

/** The groups after each merge; the last frames are single steps, the early ones several at a time. */
function merges(result, rows, end) {
  const n = rows.length;
  const members = new Map(rows.map((_, i) => [i, [i]]));
  const lines = [];
  const states = result.merges.map(([left, right, height], step) => {
    const [a, b] = [members.get(left), members.get(right)];
    members.delete(left);
    members.delete(right);
    members.set(n + step, [...a, ...b]);
    if (Number.isFinite(height)) lines.push([...meanOf(a, rows), ...meanOf(b, rows)]);
    const labels = rows.map(() => -1);
    const groups = [...members.values()].filter((group) => group.length > 1).sort((p, q) => Math.min(...p) - Math.min(...q));
    groups.forEach((group, label) => {
      for (const row of group) labels[row] = label % 6;
    });
    return { labels, lines: [...lines], text: `${plural(step + 1, "merge")}: ${plural(members.size, "group")} left` };
  });
  const useful = states.slice(0, Math.max(0, states.length - 1));
  const kept = useful.filter((_, i) => useful.length - i <= 10 || i % Math.ceil(useful.length / 14) === 0);
  return [start(rows), ...kept, { labels: [...result.labels], broken: result.violations, text: `The cut: ${end(result)}` }];
}

function meanOf(group, rows) {
  return [0, 1].map((j) => group.reduce((sum, row) => sum + rows[row][j], 0) / group.length);
}

/** The tree with 1, 2, 3, … leaves. */
function leaves(run, end) {
  const frames = [];
  for (let maxLeaves = 1; maxLeaves <= 8; maxLeaves++) {
    const result = run({ maxLeaves });
    const last = frames.at(-1);
    const text = `At most ${plural(maxLeaves, "leaf").replace("leafs", "leaves")}: ${end(result)}`;
    if (last && JSON.stringify(last.rules) === JSON.stringify(result.rules)) break;
    frames.push({ labels: [...result.labels], broken: result.violations, rules: result.rules, lines: [], text });
  }
  return frames;
}

/** Each candidate's clustering with its agreement, then the chosen one. */
function candidates(run, points, set, options, end) {
  const result = run();
  const seen = new Set();
  const frames = [];
  for (const { algorithm, score, scale } of result.chosen.evidence) {
    if (seen.has(algorithm) || (scale && scale !== "given")) continue;
    seen.add(algorithm);
    const method = catalogue.find((each) => each.name === algorithm);
    const one = method(points, set, { ...options, seed: 1 });
    const agreement = score === null ? "it failed" : `agreement ${score.toFixed(2)}`;
    frames.push({ labels: [...one.labels], broken: one.violations, text: `Candidate ${algorithm}: ${agreement}` });
  }
  return [
    ...frames,
    { labels: [...result.labels], broken: result.violations, text: `Chosen: ${result.chosen.algorithm}. ${end(result)}` },
  ];
}

/**
 * The driver's share of an iteration with many constraints: the constrained rows are placed, removed from the sums and added again.
 * Most rows in memory are constrained, so that the measured time is the driver's work.
 *
 *     node bench/engines/driver.mjs [constraints] [method]
 */
import { randomFrom } from "@coterie/core/internal";
import { planSteps } from "@coterie/core/scale";
import { createMemoryEngine, drivePlan } from "@coterie/engines";
import { createPassKernel } from "@coterie/kernels";

const [count = "1000000", method = "pck-means"] = process.argv.slice(2);
const [D, K] = [16, 16];
const n = 2 * Number(count);
const random = randomFrom(1).split("driver");
const centres = Float64Array.from({ length: K * D }, () => 4 * random.normal());
const classes = new Int32Array(n);
const x = new Float64Array(n * D);
for (let i = 0; i < n; i++) {
  const c = random.int(K);
  classes[i] = c;
  for (let j = 0; j < D; j++) x[i * D + j] = centres[c * D + j] + random.normal();
}
const [must, cannot] = [[], []];
for (let p = 0; p < n; p += 2) (classes[p] === classes[p + 1] ? must : cannot).push(p);
const links = (of) => ({
  a: Int32Array.from(of),
  b: Int32Array.from(of, (row) => row + 1),
  weight: new Float64Array(of.length).fill(1),
});
const none = { a: new Int32Array(0), b: new Int32Array(0), c: new Int32Array(0), weight: new Float64Array(0) };
const constraints = {
  n,
  mustLinks: links(must),
  cannotLinks: links(cannot),
  relative: none,
  labels: { row: new Int32Array(0), code: new Int32Array(0), names: [], weight: new Float64Array(0) },
  exclusive: [],
};
const names = Array.from({ length: D }, (_, j) => `x${j}`);
const engine = createMemoryEngine({ n, d: D, x, names }, { kernel: createPassKernel() });
const ids = Array.from({ length: n }, (_, i) => i);
const seconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
let within = 0;
const timed = async (work) => {
  const from = seconds();
  const found = await work();
  within += seconds() - from;
  return found;
};
const watched = {
  name: engine.name,
  path: engine.path,
  statistics: () => timed(() => engine.statistics()),
  rows: () => timed(async () => ({ n, x })),
  sample: (size, seed) => timed(() => engine.sample(size, seed)),
  pass: (model) => timed(() => engine.pass(model)),
  label: (model, placed) => timed(() => engine.label(model, placed)),
};
const started = seconds();
const plan = planSteps({ method, options: { k: K, maxIterations: 4 }, constraints, ids, seed: 1, scale: "none" });
const marks = [];
await drivePlan(plan, watched, { keep: async () => void marks.push(seconds() - started - within) });
const each = marks.map((mark, i) => mark - (marks[i - 1] ?? 0));
console.log(
  `${method}, ${Number(count).toLocaleString("en")} constraints about ${n.toLocaleString("en")} rows, d = ${D}, k = ${K}`,
);
console.log(
  `driver, processor s: first iteration with preparations ${each[0].toFixed(1)}, then ${each
    .slice(1)
    .map((s) => s.toFixed(1))
    .join(", ")}`,
);
console.log(
  `resident set ${Math.round(process.memoryUsage().rss / 2 ** 20)} MB, of which rows ${Math.round((8 * n * D) / 2 ** 20)} MB`,
);

/**
 * The number of clusters that `-k 2..10` chooses on twelve labelled sets with 100 constraints from the classes, and the number of classes.
 *
 *     COTERIE_DATA=folder node bench/choose-k.mjs [method] [seeds, as 0..9] [set…]
 */
import { join } from "node:path";
import { cluster, generateConstraints, randomFrom } from "@coterie/core/internal";
import { readTable } from "@coterie/data";
import { createSimdKernels } from "@coterie/kernels";

const [algorithm = "pck-means", seeds = "0..0", ...wanted] = process.argv.slice(2);
const SETS = "iris-fisher wine seeds penguins zoo image ecoli glass banknote ionosphere crabs digits".split(" ");
const CONSTRAINTS = 100;
const [first, last] = seeds.split("..").map(Number);

const kernels = createSimdKernels();
console.log(`method ${algorithm}, ${CONSTRAINTS} constraints, z-scores, k from 2 to 10\n`);
console.log("| set | classes | chosen, by seed | beside it |");
console.log("|---|---|---|---|");
const near = new Map();
for (const name of SETS.filter((each) => wanted.length === 0 || wanted.includes(each))) {
  const file = join(process.env.COTERIE_DATA ?? ".", `${name}.csv`);
  const points = await readTable(file, { truth: "class", scale: "zscore", missing: "drop" });
  const classes = new Set(points.truth.codes).size;
  const chosen = [];
  for (let seed = first; seed <= last; seed++) {
    const known = generateConstraints(points.truth, { count: CONSTRAINTS, random: randomFrom(seed) });
    const { k } = cluster(points, known, { algorithm, k: [2, 10], seed, kernels }).chosen;
    chosen.push(k);
    if (Math.abs(k - classes) <= 1) near.set(seed, (near.get(seed) ?? 0) + 1);
  }
  const isNear = chosen.map((k) => (Math.abs(k - classes) <= 1 ? "yes" : "no"));
  console.log(`| ${name} | ${classes} | ${chosen.join(", ")} | ${isNear.join(", ")} |`);
}
console.log(`\nThe classes or one beside them, by seed: ${[...near.values()].join(", ")} sets.`);

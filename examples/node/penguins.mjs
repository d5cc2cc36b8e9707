// Three species of penguins. Average linkage joins two of them; constraints on a few rows separate them.
import { cluster, constraints, diagnose } from "coterie";
import { readTable } from "coterie/data";
import { adjustedRandIndex } from "coterie/measures";

const penguins = await readTable("penguins", { truth: "class", scale: "zscore", missing: "impute", ignore: ["island", "sex"] });
const { codes, names } = penguins.truth;

// One labelled row in twenty, as an expert would give them.
const labels = [];
for (let row = 0; row < penguins.n; row += 20) labels.push([row, names[codes[row]]]);
const known = constraints(penguins, { labels });

const { feasible } = diagnose(known, { k: 3 });
console.log(`${labels.length} labelled rows; three clusters can keep them: ${feasible}`);

const without = cluster(penguins, undefined, { algorithm: "average-link", k: 3 });
const withThem = cluster(penguins, known, { algorithm: "ccl", linkage: "average", k: 3 });
const score = (result) => adjustedRandIndex(result.labels, codes).toFixed(3);
console.log(`adjusted Rand index ${score(without)} without them, ${score(withThem)} with them`);
console.log(`sizes ${withThem.sizes.join(", ")}`);

/** Draws docs/images/iris.svg, the picture of the README: the sample set with forty constraints, clustered by Ward linkage. */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { cluster, generateConstraints, randomFrom } from "coterie";
import { readTable } from "coterie/data";
import { scatterFigure } from "../packages/figures/dist/index.js";

const iris = await readTable("iris-fisher", { truth: "class" });
const known = generateConstraints(iris.truth, { count: 40, random: randomFrom(7).split("constraints") });
const { labels, violations } = cluster(iris, known, { algorithm: "ward", k: 3 });
const picture = scatterFigure({ points: iris, labels, constraints: known, violations, width: 960, height: 480, theme: "auto" });
writeFileSync(fileURLToPath(new URL("../docs/images/iris.svg", import.meta.url)), picture);

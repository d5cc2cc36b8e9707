/** Draws docs/images/synthetic-*.svg, the four synthetic sets of docs/recipes/tables.md, each with its classes as clusters. Needs the build. */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { makeSynthetic, randomFrom, SYNTHETIC_SETS } from "@coterie/core/internal";
import { scatterFigure } from "../packages/figures/dist/index.js";

for (const name of SYNTHETIC_SETS) {
  const { points, truth } = makeSynthetic(name, 300, randomFrom(1));
  const picture = scatterFigure({ points, labels: truth.codes, names: truth.names, width: 520, height: 440, theme: "auto" });
  writeFileSync(fileURLToPath(new URL(`../docs/images/synthetic-${name}.svg`, import.meta.url)), picture);
}

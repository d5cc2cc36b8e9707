/** `npm run experiment -- PAPER [FIGURE] [--quick] [--seed N]`: runs and prints a verdict for each claim. */
import { parseArgs } from "node:util";
import { papers } from "./index.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean", default: false }, seed: { type: "string", default: "0" } },
});
const [paperName, figureName] = positionals;
const paper = papers.find(({ name }) => name === paperName);
const figures = paper?.figures.filter(({ name }) => figureName === undefined || name === figureName) ?? [];

if (!paper || figures.length === 0) {
  const list = papers.map(
    ({ name, title, figures: all }) => `  ${name}: ${title} (${all.map((figure) => figure.name).join(", ")})`,
  );
  process.stderr.write(`Usage: npm run experiment -- PAPER [FIGURE] [--quick] [--seed N]\n${list.join("\n")}\n`);
  process.exitCode = 2;
} else {
  const setting = {
    quick: values.quick,
    seed: Number(values.seed),
    log: (line: string) => void process.stderr.write(`${line}\n`),
  };
  for (const figure of figures) {
    process.stdout.write(`## ${paper.name}, ${figure.name}: ${figure.title}\n\n`);
    process.stdout.write(
      `seed ${setting.seed}${setting.quick ? ", quick" : ""}\n\n| claim | published | ours | verdict |\n|---|---|---|---|\n`,
    );
    for (const { claim, published, ours, verdict, because } of await figure.run(setting)) {
      process.stdout.write(`| ${claim} | ${published} | ${ours} | ${verdict}${because ? `: ${because}` : ""} |\n`);
    }
    process.stdout.write("\n");
  }
}

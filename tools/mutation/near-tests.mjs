/** Which tests are near a source: those that import it, directly or not, the nearest first, and those beside it before others. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** Test files at most for one source. */
const MOST = 3;

export function nearTests(src) {
  const files = readdirSync(src, { recursive: true })
    .map((path) => join(src, path))
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".node.test.ts") && !path.endsWith(".browser.test.ts"));
  const importers = new Map(files.map((path) => [path, []]));
  for (const path of files) {
    for (const [, target] of readFileSync(path, "utf8").matchAll(/^(?:import|export)\b(?! type)[^"';]*?from\s*"(\.[^"]+)";/gm)) {
      importers.get(normalize(join(dirname(path), target.replace(/\.js$/, ".ts"))))?.push(path);
    }
  }
  const isTest = (path) => path.endsWith(".test.ts");
  return (source) => {
    const found = [];
    const seen = new Set([source]);
    for (let ring = [source]; ring.length > 0 && found.length < MOST; ) {
      const next = ring.flatMap((each) => importers.get(each)).filter((path) => !seen.has(path));
      for (const path of next) seen.add(path);
      const beside = (path) => (dirname(path) === dirname(source) ? 0 : 1);
      found.push(...new Set(next.filter(isTest).toSorted((a, b) => beside(a) - beside(b))));
      ring = [...new Set(next.filter((path) => !isTest(path)))];
    }
    return found.slice(0, MOST);
  };
}

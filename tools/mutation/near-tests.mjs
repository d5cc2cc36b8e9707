/** Which tests are near a source: those beside it and those that import it, the nearest first. */
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
    const found = files.filter((path) => isTest(path) && dirname(path) === dirname(source));
    const seen = new Set([source, ...found]);
    for (let ring = [source]; ring.length > 0 && found.length < MOST; ) {
      const next = [];
      for (const path of ring.flatMap((each) => importers.get(each) ?? [])) {
        if (seen.has(path)) continue;
        seen.add(path);
        if (isTest(path)) found.push(path);
        else next.push(path);
      }
      ring = next;
    }
    return found.slice(0, MOST);
  };
}

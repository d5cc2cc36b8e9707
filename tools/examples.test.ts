import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

test("the Node example runs on the build and knowledge wins in it", () => {
  const script = fileURLToPath(new URL("../examples/node/penguins.mjs", import.meta.url));
  const said = execFileSync(process.execPath, [script], { encoding: "utf8" });
  const [, without, withThem] = /adjusted Rand index ([\d.]+) without them, ([\d.]+) with them/.exec(said) ?? [];
  expect(Number(withThem)).toBeGreaterThan(Number(without) + 0.1);
});

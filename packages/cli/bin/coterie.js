#!/usr/bin/env node
import { existsSync } from "node:fs";

const build = new URL("../dist/main.js", import.meta.url);
if (existsSync(build)) {
  const { main } = await import(build.href);
  await main(process.argv.slice(2));
} else {
  process.stderr.write("Coterie is not built yet: run `npm run build` at the root of the checkout.\n");
  process.exitCode = 1;
}

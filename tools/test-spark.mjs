/** `npm run test:spark`: the tests of the Spark engine, on a cluster that is started for them unless one is up. */
import { spawnSync } from "node:child_process";
import { CONNECT_PORT, down, folder, isOpen, up } from "./spark.mjs";

const FILES = ["packages/engines/src/spark", "packages/cli/src/engine/spark"];

const wasUp = await isOpen(CONNECT_PORT);
try {
  await up();
  const env = { ...process.env, COTERIE_SPARK: folder, COTERIE_SPARK_CONNECT: `sc://127.0.0.1:${CONNECT_PORT}` };
  const { status } = spawnSync(
    process.execPath,
    // One file after the other: some of them kill workers.
    ["node_modules/vitest/vitest.mjs", "run", "--project", "node", "--no-file-parallelism", ...FILES],
    { stdio: "inherit", env },
  );
  process.exitCode = status ?? 1;
} finally {
  if (!wasUp) await down();
}

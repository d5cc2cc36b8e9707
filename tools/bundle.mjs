/** Bundles the command `coterie` and its workers into packages/cli/dist/bundle: it starts in a third of the time. */
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const packages = fileURLToPath(new URL("../packages/", import.meta.url));

/** Loaded from node_modules when a command needs them: they carry binaries or WebAssembly, are large, or are optional. */
const EXTERNAL = [/^@duckdb\//, /^@libsql\//, /^@grpc\//, /^apache-arrow/, /^highs/, /^@coterie\/(experiments|studio)/];

/** Returns the paths of all modules that are in the bundle. */
export async function bundleCommand(dir, { external = EXTERNAL, plugins = [], minify = false } = {}) {
  const bundle = await rolldown({
    input: {
      main: `${packages}cli/dist/main.js`,
      "pool-worker": `${packages}cli/dist/pool-worker.js`,
      "compute/task-worker": `${packages}server/dist/compute/task-worker.js`,
    },
    platform: "node",
    external,
    plugins,
  });
  const { output } = await bundle.write({ dir, format: "esm", minify, cleanDir: true, chunkFileNames: "[name]-[hash].js" });
  await bundle.close();
  return output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleCommand(`${packages}cli/dist/bundle`);

/**
 * Compiles packages/kernels/src/assembly to WebAssembly and writes the modules, deflated, as base64 text into TypeScript files, so that
 * any bundler loads them. For unshared memory there are two modules, so that a page loads only what its methods need: `rows` and `rest`.
 * For shared memory there is one with all routines. Does nothing when nothing has changed.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { deflateRawSync } from "node:zlib";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = join(root, "packages/kernels/src/assembly");
const output = join(root, "packages/kernels/src/generated");

/** Each module is inlined into bundles; this is the ceiling of its deflated bytes. */
const MOST_BYTES = 30_000;

const common = [
  "-O3",
  "--converge",
  "--runtime",
  "stub",
  "--noAssert",
  "--importMemory",
  "--noExportMemory",
  "--initialMemory",
  "1",
  "--maximumMemory",
  "65536",
  "--enable",
  "simd",
  "--use",
  "abort=",
];
const builds = {
  rows: { entry: "rows.ts", options: common },
  rest: { entry: "rest.ts", options: common },
  shared: { entry: "index.ts", options: [...common, "--sharedMemory", "--enable", "threads"] },
};

/** Builds if needed; returns the deflated size of each module in bytes, or null when all was up to date. */
export async function buildKernels() {
  const stamp = await inputsHash();
  const stampFile = join(output, "inputs.sha256");
  const made = Object.keys(builds).map((name) => join(output, `${name}.ts`));
  if (made.every((file) => existsSync(file)) && existsSync(stampFile) && (await readFile(stampFile, "utf8")) === stamp)
    return null;

  const { default: asc } = await import("assemblyscript/asc");
  await mkdir(output, { recursive: true });
  const sizes = {};
  for (const [name, build] of Object.entries(builds)) {
    const bytes = await compile(asc, build);
    const deflated = deflateRawSync(bytes, { level: 9, memLevel: 9 });
    if (deflated.length > MOST_BYTES)
      throw new Error(`The kernels of ${name} take ${deflated.length} bytes; the ceiling is ${MOST_BYTES}.`);
    sizes[name] = deflated.length;
    await writeFile(
      join(output, `${name}.ts`),
      `/** Made by tools/build-kernels.mjs. */\nexport const ${name} = {\n  length: ${bytes.length},\n  deflated:\n    "${deflated.toString("base64")}",\n};\n`,
    );
  }
  await writeFile(stampFile, stamp);
  return sizes;
}

async function compile(asc, { entry, options }) {
  let bytes;
  const { error, stderr } = await asc.main([entry, "--baseDir", sources, "--outFile", "kernels.wasm", ...options], {
    writeFile: (_name, content) => {
      bytes = content;
    },
  });
  if (error || bytes === undefined) throw new Error(`The kernels do not compile.\n${stderr.toString()}`, { cause: error });
  return bytes;
}

async function inputsHash() {
  const hash = createHash("sha256");
  const files = [fileURLToPath(import.meta.url), join(root, "node_modules/assemblyscript/package.json")];
  const names = (await readdir(sources, { recursive: true })).filter((name) => name.endsWith(".ts"));
  for (const name of names.sort()) files.push(join(sources, name));
  for (const file of files)
    hash
      .update(file.slice(root.length))
      .update("\0")
      .update(await readFile(file))
      .update("\0");
  return hash.digest("hex");
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const sizes = await buildKernels();
  const list = Object.entries(sizes ?? {}).map(([name, bytes]) => `${bytes} bytes ${name}`);
  process.stderr.write(`kernels: ${sizes ? list.join(", ") : "up to date"}\n`);
}

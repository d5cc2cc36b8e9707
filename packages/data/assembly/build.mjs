/** Compiles csv-rows.ts and csv-blocks.ts, and writes the modules as base64 into src/csv/csv-rows.wasm.ts for any bundler. */
import { writeFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import asc from "assemblyscript/asc";

const here = fileURLToPath(new URL(".", import.meta.url));
const output = fileURLToPath(new URL("../src/csv/csv-rows.wasm.ts", import.meta.url));
const common = "-O3 --converge --runtime stub --noAssert --importMemory --noExportMemory --initialMemory 1 --enable simd --use abort=";
const builds = {
  csvRowsWasm: `csv-rows.ts ${common}`,
  csvRowsSharedWasm: `csv-blocks.ts ${common} --maximumMemory 65536 --sharedMemory --enable threads`,
};

export async function csvRowsModules() {
  const modules = [];
  for (const [name, options] of Object.entries(builds)) {
    modules.push(`export const ${name} =\n  "${Buffer.from(await compile(options)).toString("base64")}";\n`);
  }
  return `/** Made from assembly/csv-rows.ts by assembly/build.mjs. */\n${modules.join("\n")}`;
}

async function compile(options) {
  let bytes;
  const { error, stderr } = await asc.main([...options.split(" "), "--baseDir", here, "--outFile", "csv-rows.wasm"], {
    writeFile: (_name, content) => {
      bytes = content;
    },
  });
  if (error || bytes === undefined) throw new Error(`The CSV kernel does not compile.\n${stderr.toString()}`, { cause: error });
  return bytes;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await writeFile(output, await csvRowsModules());

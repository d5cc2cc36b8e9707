/** Compiles csv-rows.ts and writes the module as base64 into src/csv-rows.wasm.ts, so that any bundler loads it. */
import { writeFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import asc from "assemblyscript/asc";

const here = fileURLToPath(new URL(".", import.meta.url));
const output = fileURLToPath(new URL("../src/csv-rows.wasm.ts", import.meta.url));
const options = "-O3 --converge --runtime stub --noAssert --importMemory --noExportMemory --initialMemory 1 --enable simd --use abort=";

/** The text of the generated file. */
export async function csvRowsModule() {
  let bytes;
  const { error, stderr } = await asc.main(
    ["csv-rows.ts", "--baseDir", here, "--outFile", "csv-rows.wasm", ...options.split(" ")],
    {
      writeFile: (_name, content) => {
        bytes = content;
      },
    },
  );
  if (error || bytes === undefined) throw new Error(`csv-rows.ts does not compile.\n${stderr.toString()}`, { cause: error });
  const text = Buffer.from(bytes).toString("base64");
  return `/** Made from assembly/csv-rows.ts by assembly/build.mjs. */\nexport const csvRowsWasm =\n  "${text}";\n`;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await writeFile(output, await csvRowsModule());

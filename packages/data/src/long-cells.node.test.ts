/** Cells of a length that nobody types: read or refused in a sentence, in time and memory that grow with the cell, not its square. */
import { CoterieError } from "@coterie/core/internal";
import { describe, expect, test } from "vitest";
import { readConstraints, readConstraintsAlone } from "./constraints/constraints-file.js";
import { readLabels } from "./constraints/labels-file.js";
import { parseHierarchy } from "./constraints/trees.js";
import { readCsv } from "./csv/csv.js";
import { readArff } from "./formats/arff.js";
import { readJsonLines } from "./formats/jsonl.js";
import { bytesOf } from "./testing/bytes.js";

const LENGTH = process.env.COTERIE_LONG === "1" ? 33_000_000 : 400_000;
/** Of the processor, for one cell; 400,000 characters take less than 0.1 s, and took minutes where a shape was tried digit by digit. */
const MOST_SECONDS = process.env.COTERIE_LONG === "1" ? 60 : 10;

const cells: Readonly<Record<string, (length: number) => string>> = {
  digits: (length) => "7".repeat(length),
  "digits and a letter": (length) => `${"7".repeat(length)}x`,
  "digits behind the point": (length) => `1.${"3".repeat(length)}`,
  "zeros behind the point": (length) => `0.${"0".repeat(length)}1`,
  "digits of an exponent": (length) => `1e${"9".repeat(length)}`,
  "halfway between two numbers": (length) => `9007199254740993${"0".repeat(length)}e-${length}`,
  signs: (length) => "-".repeat(length),
  blanks: (length) => `1${" ".repeat(length)}x`,
  quotes: (length) => '""'.repeat(length / 2),
  backslashes: (length) => "\\\\".repeat(length / 2),
};

const rows = { n: 4, ids: ["ann", "bob", "cy", "dee"] };
const options = { file: "f" };
const inQuotes = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
const piece = 8 * 2 ** 20;

const readers: Readonly<Record<string, (cell: string) => unknown>> = {
  CSV: (cell) => readCsv(bytesOf(`x,y\n1,2\n${cell},4\n`, piece), options),
  "CSV, in quotes": (cell) => readCsv(bytesOf(`x,y\n1,2\n${inQuotes(cell)},4\n`, piece), options),
  "CSV, as an id": (cell) => readCsv(bytesOf(`x,y\n1,2\n${inQuotes(cell)},4\n`, piece), { ...options, text: ["x"] }),
  "CSV, in the header": (cell) => readCsv(bytesOf(`x,${inQuotes(cell)}\n1,2\n`, piece), options),
  "CSV with semicolons": (cell) => readCsv(bytesOf(`x;y\n1;2,5\n${cell};4\n`, piece), options),
  "JSON lines, a number": (cell) => readJsonLines(bytesOf(`{"x":1}\n{"x":${cell}}\n`, piece), options),
  "JSON lines, an id": (cell) => readJsonLines(bytesOf(`{"x":${cell}}\n`, piece), { ...options, text: ["x"] }),
  "JSON lines, a text": (cell) => readJsonLines(bytesOf(`{"x":${JSON.stringify(cell)}}\n`, piece), options),
  "ARFF, a number": (cell) => readArff(bytesOf(`@relation r\n@attribute x real\n@data\n${cell}\n`, piece), options),
  "ARFF, a text": (cell) =>
    readArff(bytesOf(`@relation r\n@attribute x string\n@data\n'${cell.replaceAll("\\", "\\\\")}'\n`, piece), options),
  "ARFF, sparse": (cell) => readArff(bytesOf(`@relation r\n@attribute x real\n@data\n{${cell} 1}\n`, piece), options),
  "constraints, an id": (cell) =>
    readConstraints(bytesOf(`type,a,b\nmust-link,ann,${inQuotes(cell)}\n`, piece), { ...options, rows }),
  "constraints, a row number": (cell) =>
    readConstraints(bytesOf(`type,a,b\nmust-link,0,${inQuotes(cell)}\n`, piece), { ...options, rows: { n: 4 } }),
  "constraints, a weight": (cell) =>
    readConstraints(bytesOf(`type,a,b,c,weight\nmust-link,ann,bob,,${inQuotes(cell)}\n`, piece), { ...options, rows }),
  "constraints in JSON": (cell) =>
    readConstraints(bytesOf(`{"type":"must-link","a":"ann","b":${JSON.stringify(cell)}}\n`, piece), { ...options, rows }),
  "constraints of the older tools": (cell) => readConstraints(bytesOf(`0 1 1\n0\t${cell}\t1\n`, piece), { ...options, rows }),
  "constraints alone": (cell) => readConstraintsAlone([{ file: "f", chunks: bytesOf(`0 1 1\n0\t${cell}\t1\n`, piece) }]),
  labels: (cell) => readLabels(bytesOf(`id,cluster\n${inQuotes(cell)},1\n`, piece), { ...options, rows }),
  "Newick, a length": (cell) => parseHierarchy(`(a:${cell},b);`, "f"),
  "Newick, a name": (cell) => parseHierarchy(`('${cell}',b);`, "f"),
};

describe.each(Object.entries(readers))("%s", (_, read) => {
  test.each(Object.entries(cells))(
    "%s",
    async (_, make) => {
      const cell = make(LENGTH);
      const before = process.cpuUsage();
      try {
        await read(cell);
      } catch (error) {
        if (!(error instanceof CoterieError)) throw error;
        expect(error.problem).toMatchObject({ code: "bad-input", file: "f" });
        expect(error.message.length).toBeLessThan(600);
      }
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1e6).toBeLessThan(MOST_SECONDS);
    },
    600_000,
  );
});

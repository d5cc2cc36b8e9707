/** Random bytes and spoilt files: every reader either reads them or says why not, in a sentence, soon. */
import { CoterieError } from "@coterie/core/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readConstraints } from "./constraints/constraints-file.js";
import { readLabels } from "./constraints/labels-file.js";
import { parseHierarchy } from "./constraints/trees.js";
import { readCsv } from "./csv/csv.js";
import { readArff } from "./formats/arff.js";
import { formatOf, readStream } from "./formats/formats.js";
import { readJsonLines } from "./formats/jsonl.js";
import { readNpy, writeNpy } from "./formats/npy.js";
import { instancesOf } from "./instances/instances.js";
import type { Table } from "./table/table.js";
import { bytesOf, utf16 } from "./testing/bytes.js";

const runs = process.env.COTERIE_LONG === "1" ? 10 : 1;
const rows = { n: 4, ids: ["ann", "bob", "cy", "dee"] };
const options = { file: "f" };
const text = (content: string) => new TextEncoder().encode(content);

function checkTable(table: Table): void {
  expect(table.n).toBeGreaterThan(0);
  for (const column of table.columns) {
    const length = column.kind === "numeric" ? column.values.length : column.codes.length;
    expect(length).toBe(table.n);
    if (column.kind === "numeric") for (const value of column.values) expect(Math.abs(value)).not.toBe(Infinity);
    else for (const code of column.codes) expect(code >= -1 && code < column.levels.length).toBe(true);
  }
  instancesOf(table, { missing: "impute" });
}

interface Reader {
  readonly valid: readonly Uint8Array[];
  readonly read: (bytes: Uint8Array, size: number) => Promise<unknown>;
}

const csv = 'id,x,"c ""q"""\nann,1.5,a\nbob,-2e3,"b,\nb"\ncy,NA,?\ndee,12345678901234567890,"a"\n';
const written = 'price,share,day,emb\n"$1,234.50",5%,2024-01-31,"[1, 2]"\nN/A,7%,-,"[3, 4e1]"\n"$5",0,"2024-02-01 12:00",\n';
const readers: Readonly<Record<string, Reader>> = {
  csv: {
    valid: [
      text(written),
      text(csv),
      text(csv.replaceAll("\n", "\r\n").replaceAll(",", ";")),
      utf16(csv, true, true),
      utf16(csv, false, false),
    ],
    read: async (bytes, size) => checkTable(await readCsv(bytesOf(bytes, size), options)),
  },
  "json lines": {
    valid: [
      text('{"x":1,"c":"a"}\n{"x":-2.5e3,"c":null,"d":true}\r\n{"c":"ü"}\n'),
      text('{"v":[1,2.5],"m":"1,200"}\n{"v":[0,-3],"m":"N/A"}\n'),
    ],
    read: async (bytes, size) => checkTable(await readJsonLines(bytesOf(bytes, size), { ...options, text: ["c"] })),
  },
  arff: {
    valid: [
      text(
        "@relation r\n@attribute 'x y' real\n@attribute c {a,'b c'}\n@attribute s string\n@data\n1,a,'q'\n?,'b c',?\n{0 3, 2 z}\n",
      ),
    ],
    read: async (bytes, size) => checkTable(await readArff(bytesOf(bytes, size), options)),
  },
  npy: {
    valid: [writeNpy(Float64Array.of(1, 2, 3, 4, 5, 6), 3, 2)],
    read: async (bytes, size) => checkTable(await readNpy(bytesOf(bytes, size), options)),
  },
  constraints: {
    valid: [
      text("type,a,b,c,weight\nmust-link,ann,bob\ncannot-link,ann,cy,,2\nrelative,ann,bob,dee,inf\nlabel,cy,A\n"),
      text('{"type":"must-link","a":"ann","b":"bob"}\n{"type":"relative","a":"ann","b":"bob","c":"cy","weight":3}\n'),
      text("0\t1\t1\n1\t2\t-1\n"),
    ],
    read: (bytes, size) => readConstraints(bytesOf(bytes, size), { ...options, rows }),
  },
  labels: {
    valid: [text('id,cluster\nann,0\nbob,"1"\ndee,x\n')],
    read: (bytes, size) => readLabels(bytesOf(bytes, size), { ...options, rows }),
  },
  trees: {
    valid: [text("((a:1,'b c')[n]x,d:2e1);"), text('{"children":[{"id":"a"},{"children":[{"id":1,"length":2}]}]}')],
    read: async (bytes) => parseHierarchy(new TextDecoder().decode(bytes), "f"),
  },
  "any format": {
    valid: [text(csv), writeNpy(Float64Array.of(1, 2), 2, 1)],
    read: async (bytes, size) => readStream(formatOf("f", bytes), bytesOf(bytes, size), options),
  },
};

/** A valid file with some bytes replaced, removed, repeated or put in. */
function spoilt(valid: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> {
  const telling = fc.constantFrom(...[..."\"',;\t\n\r {}[]()@%?-+.:e019\\", "\0"].map((c) => c.charCodeAt(0)));
  const byte = fc.oneof(telling, fc.integer({ min: 0, max: 255 }));
  const change = fc.record({ at: fc.nat(), cut: fc.nat(12), put: fc.array(byte, { maxLength: 5 }), copy: fc.nat(30) });
  return fc.tuple(fc.constantFrom(...valid), fc.array(change, { minLength: 1, maxLength: 4 })).map(([file, changes]) => {
    let bytes = Array.from(file);
    for (const { at, cut, put, copy } of changes) {
      const p = at % (bytes.length + 1);
      bytes = [...bytes.slice(0, p), ...put, ...bytes.slice(p, p + copy), ...bytes.slice(p + cut)];
    }
    return Uint8Array.from(bytes);
  });
}

async function survives(read: () => Promise<unknown>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!(error instanceof CoterieError)) throw error;
    expect(error.message).toMatch(/\S{2}.*[.;]$/s);
    expect(error.message.length).toBeLessThan(4000);
  }
}

test.each(Object.entries(readers))(
  "%s: any bytes, and spoilt files",
  async (_, { valid, read }) => {
    for (const file of valid) await read(file, 5);
    const size = fc.integer({ min: 1, max: 64 });
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), size, (bytes, pieces) => survives(() => read(bytes, pieces))),
      { numRuns: 300 * runs },
    );
    await fc.assert(
      fc.asyncProperty(spoilt(valid), size, (bytes, pieces) => survives(() => read(bytes, pieces))),
      { numRuns: 1500 * runs },
    );
  },
  120_000,
);

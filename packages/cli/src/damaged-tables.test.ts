/** A damaged table, whatever reads it: exit code 3 and a sentence of ours with the file, what is wrong and what to do. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { coterie, folderWith } from "./testing/console.js";

const LONG = process.env.COTERIE_LONG === "1";

/** Four rows of a number x and a text g; packed. */
const TABLES: Readonly<Record<string, string>> = {
  "file.arrow":
    "H4sIAAAAAAACA31SsQ4BQRB9x2IjFzZx4SIKUStI9E6nk2hoafyCwicplEqf4TP8AbOzs+6sYy65NzM792be3C7W69VmCjzJLgASOIsxQB8dihX5QIoPqxgGBY2mIOByTaqNKVZ8YvmW9oPCx1X8NhOgLpxFAU9Zfrd3aPVcP/R0yW8Tr9MzKYxjWMH33FvO56b+zD0MMMyb4vJKuMq5H3NxMmETHGVet0er1/eJafoWK9Ws1ebG0iWTer/Xq2Aa7PMu/k3Q7+tMfZRoOMmeDN0VTbvtEYuiyPab5buPBGuJcB/emhXr1jyNu0Mxx/Y/NPyM0ZB7JFzbZnbNb5P3qKbCfXyrqFNVnR638ZQOF3zXX+pyLnfyAgAA",
  "stream.arrow":
    "H4sIAAAAAAACA31QQRIBMRDsZZFSilRRbCkH5QUO7hw9wZWLLzh4koOjp3iGH0TPZFK71jKppCfJTE/PhBDCE4CHWJ84RA+OnlrmFHLcGJfTa3FfuSeas2DkCDMUjPDKsbE/yTXsCGbc53hnrCww1+lNzoHeB9w9OMtfao2Jxo6U3enpyxrtwrgvSNZlVJcLqpayw72MZ4UF5hgrq9Qs8GEtbwrjBKK2NJtC9eX6I3x7m0eyNn6br6Gr/GU1nqb34ymi9PP46GdKX6YT+1lX5Hjt4Fv3Qd9Ly//oXtaw/u6rw2vgauZ+bc3ZGZvhapf6Tij9irw3dLs+pKgCAAA=",
  "table.parquet":
    "H4sIAAAAAAACA2VQy2rDMBAcCRNESSg5rJDAB19sHBAhgThg8KUl5xAK9akQLDtNQl/QkNAP6mf1Y7pyDy0UNLOr1cwyaHNzNyeQI+dIcTOgASABKHHNbBn3jC2DXxe0+CcTzE0g/9uRtFUBM+rO7VPnt6f2sHtpKALJVBrxkV6RpMg9BA6Lh2G6TwGtbGxdhpgXECxLiWd6rdeZqkwUUpgo5NLI/9zGY6bgGv649r2r1nVWV0Z4IxrW97VX6k+hVaa4IM9XHHF1m1x276fj22tymU+L6TLJ/fn43CWzZdm25WPpi4l1McAHX4wN/9o3dBhGLjoBAAA=",
};
const bytesOf = (name: string) => gunzipSync(Buffer.from(TABLES[name]!, "base64"));

const folder = folderWith({ "known.csv": "type,a,b\nmust-link,0,2\n", "labels.csv": "id,cluster\n0,0\n1,0\n2,1\n3,1\n" });
const at = (name: string) => join(folder, name);

/** Lines that read a table, each in its own way. */
const LINES: readonly ((data: string) => string[])[] = [
  (data) => ["cluster", data, "-k", "2"],
  (data) => ["cluster", data, "-k", "2", "--id", "x", "--nominal", "g"],
  (data) => ["diagnose", data, "-k", "2", "--constraints", at("known.csv")],
  (data) => ["evaluate", at("labels.csv"), "--data", data, "--truth", "g"],
  (data) => ["explain", at("labels.csv"), "--data", data],
  (data) => ["cluster", "--distances", data, "-k", "2", "-a", "complete-link"],
];

async function check(name: string, bytes: Uint8Array, line: (data: string) => string[]): Promise<number> {
  const data = at(name);
  writeFileSync(data, bytes);
  const { code, err } = await coterie(...line(data));
  expect([0, 3], err).toContain(code);
  expect(err).not.toMatch(/DuckDB|apache|flatbuf|thrift|DataView|typed array|undefined|\bat \w+ \(|[A-Z]\w*Error\b|Error:/i);
  if (code === 3) expect(err.replaceAll(/\s+/g, " ")).toContain(name);
  return code;
}

test("whole tables are read", async () => {
  for (const name of Object.keys(TABLES))
    for (const line of LINES.slice(0, 5)) expect(await check(name, bytesOf(name), line)).toBe(0);
});

test("cut off anywhere", async () => {
  for (const name of Object.keys(TABLES)) {
    const bytes = bytesOf(name);
    for (let length = 0; length < bytes.length - 8; length += LONG ? 1 : 41) {
      const code = await check(name, bytes.subarray(0, length), LINES[length % LINES.length]!);
      // A stream may end between two messages.
      if (name !== "stream.arrow") expect([name, length, code]).toEqual([name, length, 3]);
    }
  }
});

test("numbers that cannot be, and bits turned", { timeout: 600_000 }, async () => {
  const extreme = fc.constantFrom(-1, 0, 1, 0x7fff_ffff, -0x8000_0000, 1 << 20);
  const harm = fc.tuple(
    fc.nat(),
    fc.oneof(
      extreme,
      fc.nat(7).map((bit) => ({ bit })),
    ),
  );
  const harms = fc.array(harm, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(TABLES)), harms, fc.constantFrom(...LINES), async (name, changes, line) => {
      const bytes = bytesOf(name);
      for (const [place, how] of changes) {
        const from = place % (bytes.length - 4);
        if (typeof how === "number") bytes.writeInt32LE(how, from & ~3);
        else bytes[from]! ^= 1 << how.bit;
      }
      await check(name, bytes, line);
    }),
    { numRuns: LONG ? 3_000 : 120 },
  );
});

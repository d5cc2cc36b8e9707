/** `coterie mcp`, tested with the client of the official SDK. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { afterEach, beforeEach, expect, test } from "vitest";
import { coterie, folderWith } from "../testing/console.js";
import { BIN } from "../testing/listening.js";
import { createFolders } from "./folders.js";
import { createMcpServer, type Serving } from "./server.js";

const N = 60;
const csv = `name,x,y,kind\n${Array.from({ length: N }, (_, i) => `row${i},${(i % 3) * 10 + ((i * 37) % 11) / 9},${(i % 3) * 4 + ((i * 53) % 7) / 8},${"abc"[i % 3]}`).join("\n")}\n`;
const known = "type,a,b\nmust-link,row0,row3\ncannot-link,row0,row1\n";

let client: Client;
let serving: Serving;
let folder: string;
let outside: string;

beforeEach(async () => {
  outside = folderWith({ "secret.csv": csv });
  folder = folderWith({ "data.csv": csv, "known.csv": known, "large.csv": `x\n${"1\n".repeat(200_000)}` });
  mkdirSync(join(folder, "sub"));
  serving = createMcpServer(createFolders([folder], 2 ** 18));
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  client = new Client({ name: "test", version: "1" });
  await Promise.all([serving.server.connect(theirs), client.connect(ours)]);
});

afterEach(async () => {
  await client.close();
  await serving.close();
});

interface Replied {
  readonly isError?: boolean;
  readonly content: readonly [{ readonly text: string }];
}

async function call(name: string, given: Record<string, unknown>) {
  const { isError, content } = (await client.callTool({ name, arguments: given })) as unknown as Replied;
  expect(isError ? content[0].text : undefined).toBeUndefined();
  return JSON.parse(content[0].text);
}

async function refusal(name: string, given: Record<string, unknown>): Promise<string> {
  const { isError, content } = (await client.callTool({ name, arguments: given })) as unknown as Replied;
  expect(isError, content[0].text).toBe(true);
  return content[0].text;
}

const table = { path: "data.csv", id: "name", ignore: ["kind"] };

test("an agent does the whole job: schema, questions, clusters, rules, files", async () => {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["table_schema", "diagnose", "ask", "answer", "cluster", "explain", "export"]);
  for (const { description, inputSchema } of tools)
    expect([description!.length > 20, inputSchema.type]).toEqual([true, "object"]);

  const schema = await call("table_schema", table);
  expect(schema).toMatchObject({
    rows: N,
    id_column: "name",
    columns: [
      { name: "x", kind: "number" },
      { name: "y", kind: "number" },
    ],
  });
  expect(schema.first_rows[0]).toEqual({ id: "row0", columns: { x: expect.any(Number), y: expect.any(Number) } });

  const number = (id: string) => Number(id.slice(3));
  let state = await call("ask", { ...table, k: 3, budget: 6 });
  const { session } = state;
  let asked = 0;
  while (state.question) {
    const [a, b] = state.question.rows.map(({ id }: { id: string }) => number(id) % 3);
    state = await call("answer", { session, answer: a === b ? "same" : "different", why: "by its number", confidence: 1 });
    asked++;
  }
  expect(asked).toBe(6);
  const found = await call("cluster", {
    ...table,
    k: 3,
    session,
    must_link: [["row0", "row3"]],
    constraint_files: ["known.csv"],
  });
  expect(found).toMatchObject({
    run: 1,
    clusters: 3,
    sizes: [20, 20, 20],
    broken: { mustLink: { count: 0 }, cannotLink: { count: 0 } },
  });
  expect(found.constraints).toBeGreaterThanOrEqual(7);
  const explained = await call("explain", { run: 1 });
  expect(explained.fidelity).toBe(1);

  const { written } = await call("export", { run: 1, what: "labels", path: "sub/labels.csv" });
  const labels = readFileSync(written, "utf8").trim().split("\n").slice(1);
  expect(labels).toHaveLength(N);
  expect(labels.every((line, i) => line === `row${i},${i % 3}`)).toBe(true);
  await call("export", { run: 1, what: "constraints", path: join(folder, "all.csv") });
  const { code } = await coterie("diagnose", join(folder, "data.csv"), "--id", "name", "-c", join(folder, "all.csv"), "-k", "3");
  expect(code).toBe(0);
  expect(await refusal("export", { run: 1, what: "report", path: "all.csv" })).toContain("There is such a file.");
  await call("export", { run: 1, what: "report", path: "all.csv", overwrite: true });
});

test("diagnose: contradictions and what to drop", async () => {
  const links = {
    must_link: [
      ["row0", "row3"],
      ["row3", "row6"],
    ],
    cannot_link: [["row0", "row6"]],
  };
  expect(await call("diagnose", { ...table, k: 3, ...links })).toMatchObject({
    constraints: 3,
    contradictions: [{ cannotLink: ["row0", "row6"], path: ["row0", "row3", "row6"] }],
  });
  expect(await call("diagnose", { ...table, k: 3, constraint_files: ["known.csv"] })).toMatchObject({ feasible: true });
});

test("hostile paths get a sentence, and the same one whether or not the file exists", async () => {
  symlinkSync(join(outside, "secret.csv"), join(folder, "link.csv"));
  symlinkSync(outside, join(folder, "gate"));
  const secret = join(outside, "secret.csv");
  for (const path of [
    secret,
    join(outside, "none.csv"),
    `../${outside.split("/").at(-1)}/secret.csv`,
    "link.csv",
    "gate/secret.csv",
    "/etc/passwd",
    "/proc/self/environ",
    "sub/../../x.csv",
    `${folder}-other/data.csv`,
  ])
    expect(await refusal("table_schema", { path }), path).toContain("outside of the folders");
  expect(await refusal("table_schema", { path: "none.csv" })).toContain("There is no such file.");
  expect(await refusal("table_schema", { path: "sub" })).toContain("This is not a file.");
  expect(await refusal("table_schema", { path: "a\0b" })).toContain("This is not a path.");
  expect(await refusal("table_schema", { path: "large.csv" })).toContain("at most 0.3 MB are read");
  expect(await refusal("cluster", { ...table, k: 3, constraint_files: [join(outside, "secret.csv")] })).toContain(
    "outside of the folders",
  );
  await call("cluster", { ...table, k: 3 });
  for (const path of [join(outside, "new.csv"), "gate/new.csv", "../new.csv", "link.csv", "no/such/new.csv"])
    expect(await refusal("export", { run: 1, what: "labels", path, overwrite: true }), path).toContain("outside of the folders");
  expect(readFileSync(secret, "utf8")).toBe(csv);
});

test.each<[string, string, Record<string, unknown>]>([
  ["cluster", "k is 900, but there are only 60 rows", { ...table, k: 900 }],
  ["cluster", 'algorithm is "kmean"', { ...table, k: 3, algorithm: "kmean" }],
  ["cluster", "row99", { ...table, k: 3, must_link: [["row0", "row99"]] }],
  ["cluster", "Unrecognized key", { ...table, k: 3, algoritm: "ccl" }],
  ["explain", "There is no run 7. Call cluster first.", { run: 7 }],
  ["answer", "the name of an open session", { session: "none", answer: "same" }],
  ["answer", "answer", { session: "none", answer: "perhaps" }],
])("%s: %s", async (name, sentence, given) => {
  expect(await refusal(name, given)).toContain(sentence);
});

test("the command speaks over standard input and output, and ends with its input", async () => {
  const transport = new StdioClientTransport({ command: process.execPath, args: [BIN, "mcp", folder, "--quiet"] });
  const other = new Client({ name: "test", version: "1" });
  await other.connect(transport);
  const reply = (await other.callTool({ name: "table_schema", arguments: table })) as unknown as Replied;
  expect(JSON.parse(reply.content[0].text).rows).toBe(N);
  await other.close();
});

test("the command needs folders that exist", async () => {
  expect((await coterie("mcp")).err).toContain("coterie mcp FOLDER");
  expect((await coterie("mcp", join(folder, "none"))).err).toContain("There is no such folder.");
  writeFileSync(join(folder, "file"), "");
  expect((await coterie("mcp", join(folder, "file"))).err).toContain("There is no such folder.");
  expect((await coterie("mcp", folder, "--largest", "0")).err).toContain("above 0");
});

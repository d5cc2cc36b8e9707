/** `coterie serve --stdio`: the frames, every request beside the command that does the same, errors, cancelling and the end. */
import { execFile, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { coterie, folderWith } from "../testing/console.js";
import { BIN } from "../testing/listening.js";
import { type Message, StdioClient } from "../testing/stdio-client.js";
import { frameOf, framesFrom, SentArray } from "./frames.js";
import { serveStdio } from "./serve.js";

const N = 60;
/** Three clouds; the last column is a text. */
const cells = Array.from(
  { length: N },
  (_, i) =>
    [((i % 3) * 10 + ((i * 37) % 11)) / 2, ((i % 2) * 7 + ((i * 53) % 13)) / 3, ["red", "green", "blue"][(i * 7) % 3]!] as const,
);
const csv = `x0,x1,colour\n${cells.map((row) => row.join(",")).join("\n")}\n`;
const numbers = (j: 0 | 1) => Float64Array.from(cells, (row) => row[j]);
const levels = ["red", "green", "blue"];
const columns = [
  { name: "x0", numbers: numbers(0) },
  { name: "x1", numbers: numbers(1) },
  { name: "colour", levels, codes: Int32Array.from(cells, ([, , colour]) => levels.indexOf(colour)) },
];
const rows = new SentArray(Float64Array.from(cells.flatMap((row) => row.slice(0, 2) as number[])), [N, 2]);
const tuples = (list: readonly (readonly number[])[], width = 2) =>
  new SentArray(Int32Array.from(list.flat()), [list.length, width]);
const known = {
  mustLink: tuples([
    [0, 1],
    [4, 9],
  ]),
  cannotLink: tuples([[0, 3]]),
};
const knownCsv = "type,a,b\nmust-link,0,1\nmust-link,4,9\ncannot-link,0,3\n";

let client: StdioClient;
let folder: string;
const file = (name: string) => join(folder, name);

beforeEach(() => {
  client = new StdioClient();
  folder = folderWith({ "data.csv": csv, "known.csv": knownCsv });
});

afterEach(async () => {
  expect(await client.end()).toBe(true);
  expect(client.bugs).toEqual([]);
});

async function replyTo(message: Message): Promise<Message> {
  const { reply, error } = await client.ask(message);
  expect(error).toBeUndefined();
  return reply as Message;
}

async function sentenceFor(message: Message): Promise<string> {
  return ((await client.ask(message)).error as { message: string }).message;
}

const labelsOf = ({ labels }: Message) => Array.from((labels as SentArray<Int32Array>).values);

describe("frames", () => {
  test("any message passes through a stream that is cut anywhere", async () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc
          .jsonValue({ maxDepth: 1 })
          .filter((json) => !JSON.stringify(json).includes("$array") && !JSON.stringify(json).includes("__proto__")),
        fc.float64Array().map((values) => new SentArray(values)),
        fc.bigInt64Array().map((values) => new SentArray(values)),
        fc.record({ a: tie("any"), b: fc.array(tie("any"), { maxLength: 2 }) }),
      ),
    })).any;
    await fc.assert(
      fc.asyncProperty(fc.array(value, { maxLength: 3 }), fc.integer({ min: 1, max: 40 }), async (values, size) => {
        const bytes = Buffer.concat(values.flatMap((content) => [...frameOf({ content })]));
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
        const read: unknown[] = [];
        for await (const frame of framesFrom(Readable.from(pieces))) read.push((frame.message() as Message).content);
        expect(read).toEqual(JSON.parse(JSON.stringify(values, revive)) && values);
      }),
      { numRuns: 100 },
    );
    function revive(_: string, each: unknown) {
      return typeof each === "bigint" ? String(each) : each;
    }
  });

  test.each<[string, Buffer]>([
    ["The stream ended inside a frame.", Buffer.from([9, 0])],
    ["The stream ended inside a frame.", Buffer.from([9, 0, 0, 0, 123])],
    ["A frame begins with a JSON text of 4294967295 bytes", Buffer.from([255, 255, 255, 255])],
    ["The JSON text of a frame cannot be read", framed("{]")],
    ["The JSON text of a frame must be an object.", framed("[]")],
    ["arrays.0.type does not fit", framed('{"arrays":[{"type":"f16","shape":[1]}]}')],
    ["is larger than", framed('{"arrays":[{"type":"f8","shape":[68719476736,68719476736]}]}')],
    ["The stream ended inside a frame.", framed('{"arrays":[{"type":"f8","shape":[1000]}]}')],
  ])("a broken stream gets one error and ends the loop: %s", async (sentence, bytes) => {
    const output = new PassThrough();
    const write = async (part: Uint8Array) => void output.write(Buffer.from(part));
    const { signal } = new AbortController();
    expect(await serveStdio({ input: Readable.from([bytes]), write, signal, onBug: () => {} })).toBe(false);
    output.end();
    const replies = [];
    for await (const frame of framesFrom(output)) replies.push(frame.json);
    expect(replies).toEqual([{ id: null, error: { code: "broken-stream", message: expect.stringContaining(sentence) } }]);
  });

  function framed(json: string): Buffer {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(json.length);
    return Buffer.concat([length, Buffer.from(json)]);
  }
});

describe("the same labels as the command line", () => {
  test.each(["auto", "kmeans", "cop-kmeans", "mpck-means", "ccl", "clusilc", "density", "ward"])("%s", async (algorithm) => {
    const k = algorithm === "density" ? [] : ["-k", "3"];
    const line = ["cluster", file("data.csv"), ...k, "-a", algorithm, "-c", file("known.csv"), "--json", "--quiet"];
    const { out } = await coterie(...line);
    const { labels, merges, centres, probabilities, timings: _, ...report } = JSON.parse(out);
    const options = algorithm === "density" ? {} : { k: 3 };
    const reply = await replyTo({ type: "cluster", table: { columns }, algorithm, options, constraints: known });
    expect(labelsOf(reply)).toEqual(labels);
    const { timings: __, ...sent } = reply.report as Message;
    expect(sent).toEqual({ ...report, notices: report.notices });
    if (merges) expect((reply.merges as SentArray).shape).toEqual([merges.length, 4]);
    if (centres) expect(Array.from((reply.centres as SentArray<Float64Array>).values)).toEqual(centres.flat());
    if (probabilities) expect(Array.from((reply.probabilities as SentArray<Float64Array>).values)).toEqual(probabilities.flat());
  });

  test("a matrix, as an .npy file of it; a range of k; ids, classes and groups as columns", async () => {
    const { out } = await coterie("cluster", file("data.csv"), "--ignore", "colour", "-k", "2..4", "--json", "--quiet");
    const reply = await replyTo({ type: "cluster", table: { rows }, options: { k: [2, 4] } });
    expect(labelsOf(reply)).toEqual(JSON.parse(out).labels);
    expect((reply.report as Message).chosen).toEqual(JSON.parse(out).chosen);
    const truth = await replyTo({
      type: "cluster",
      table: { columns },
      reading: { truth: "colour", scale: "none" },
      options: { k: 3 },
    });
    expect((truth.report as Message).scores).toMatchObject({ rand: expect.any(Number) });
  });

  test("constraints from a file, together with given ones; labels and weights", async () => {
    await coterie("cluster", file("data.csv"), "-k", "3", "-a", "pck-means", "-c", file("known.csv"), "-o", file("a.csv"), "-q");
    const request = { type: "cluster", algorithm: "pck-means", options: { k: 3 } };
    const reply = await replyTo({ ...request, table: { path: file("data.csv") }, constraints: { files: [file("known.csv")] } });
    expect(labelsOf(reply).map(String)).toEqual(
      readFileSync(file("a.csv"), "utf8")
        .trim()
        .split("\n")
        .slice(1)
        .map((line) => line.split(",")[1]),
    );
    writeFileSync(file("labels.csv"), "type,a,b,c,weight\nlabel,2,red,,\nlabel,5,green,,\nmust-link,0,7,,3\n");
    const { out } = await coterie(
      "cluster",
      file("data.csv"),
      "-k",
      "3",
      "-a",
      "pck-means",
      "-c",
      file("known.csv"),
      "-c",
      file("labels.csv"),
      "--json",
      "-q",
    );
    const more = {
      files: [file("known.csv")],
      labels: { rows: Int32Array.of(2, 5), codes: Int32Array.of(0, 1), names: ["red", "green"] },
      mustLink: tuples([[0, 7]]),
      mustLinkWeight: Float64Array.of(3),
    };
    const both = await replyTo({ ...request, table: { columns }, constraints: more });
    expect(labelsOf(both)).toEqual(JSON.parse(out).labels);
  });

  test("missing numbers are NaN, and dropped rows have label -1", async () => {
    const holed = { name: "x0", numbers: numbers(0).map((value, i) => (i === 7 ? Number.NaN : value)) };
    const table = { columns: [holed, columns[1]] };
    const reply = await replyTo({ type: "cluster", table, reading: { missing: "drop" }, options: { k: 3 } });
    expect(labelsOf(reply)[7]).toBe(-1);
    expect((reply.rows as SentArray).values).toHaveLength(N - 1);
    const link = { ...known, mustLink: tuples([[7, 8]]) };
    const request = { type: "cluster", table, reading: { missing: "drop" }, options: { k: 3 }, constraints: link };
    expect(await sentenceFor(request)).toMatch(/^must_link\[0\]: Row "7" was dropped/);
  });
});

test("a model of a run gives its rows the same clusters, and new rows theirs", async () => {
  const cluster = { type: "cluster", table: { columns }, options: { k: 3 }, model: true };
  const { model, ...reply } = await replyTo(cluster);
  const again = await replyTo({ type: "predict", table: { columns }, model, distances: true });
  expect(labelsOf(again)).toEqual(labelsOf(reply));
  expect((again.distances as SentArray).shape).toEqual([N, 3]);
  expect(await sentenceFor({ type: "predict", table: { rows }, model })).toContain('There is no column "colour"');
  expect(await sentenceFor({ type: "predict", table: { rows }, model: "{}" })).toMatch(/model/);
});

test("diagnose, advise, explain, evaluate and constraints of a file, as the commands", async () => {
  const json = async (...line: string[]) => JSON.parse((await coterie(...line, "--json", "--quiet")).out);
  const { diagnosis } = await replyTo({ type: "diagnose", table: { columns }, constraints: known, k: 3 });
  const { suspects: _, ...expected } = await json("diagnose", file("data.csv"), "-c", file("known.csv"), "-k", "3");
  expect(JSON.parse(JSON.stringify(diagnosis))).toEqual(expected);
  const alone = await replyTo({ type: "diagnose", constraints: { files: [file("known.csv")] }, k: 3 });
  expect((alone.diagnosis as Message).feasible).toBe(true);

  const { advice } = await replyTo({ type: "advise", table: { columns }, constraints: known, k: 3 });
  expect((advice as Message).algorithm).toBe(
    (await json("advise", file("data.csv"), "-c", file("known.csv"), "-k", "3")).recommended.algorithm,
  );

  const labels = Int32Array.from({ length: N }, (_, i) => i % 3);
  writeFileSync(file("labels.csv"), `id,cluster\n${[...labels].map((label, i) => `${i},${label}`).join("\n")}\n`);
  const explained = await replyTo({ type: "explain", table: { columns }, labels });
  const { fidelity, clusters } = await json("explain", file("labels.csv"), "--data", file("data.csv"));
  expect(explained).toMatchObject({ fidelity, clusters: clusters.map(({ rule }: Message) => ({ rule })) });

  const evaluated = await replyTo({ type: "evaluate", table: { columns }, labels, truth: labels, constraints: known });
  const { internal, violations } = await json(
    "evaluate",
    file("labels.csv"),
    "--data",
    file("data.csv"),
    "-c",
    file("known.csv"),
  );
  expect(evaluated).toMatchObject({ internal, violations, scores: { rand: 1 }, k: 3 });

  const read = await replyTo({ type: "readConstraints", file: file("known.csv"), n: N });
  expect(read.mustLink).toEqual(known.mustLink);
  expect(read.cannotLink).toEqual(known.cannotLink);
});

test("a dialogue: questions until every must-link and cannot-link of a class is known", async () => {
  const truth = (row: number) => row % 3;
  const first = await replyTo({ type: "ask", table: { columns }, k: 3, budget: 12 });
  const { session } = first;
  let state = first;
  let asked = 0;
  while (state.question) {
    const { rows } = state.question as { rows: [number, number] };
    const answer = truth(rows[0]) === truth(rows[1]) ? "same" : "different";
    state = await replyTo({ type: "answer", session, answer, confidence: 0.9, why: "known" });
    asked++;
  }
  expect(asked).toBe(12);
  expect(await sentenceFor({ type: "answer", session, answer: "same" })).toContain("there is no open question");
  const { labels, constraints } = (await replyTo({ type: "clusters", session })) as Message & {
    constraints: Record<string, number[][]>;
  };
  const found = (labels as SentArray).values;
  expect(constraints.mustLink!.length + constraints.cannotLink!.length).toBe(12);
  for (const [a, b] of constraints.mustLink!) expect([truth(a!), found[a!]]).toEqual([truth(b!), found[b!]]);
  for (const [a, b] of constraints.cannotLink!) expect(found[a!]).not.toBe(found[b!]);
  const undone = await replyTo({ type: "undo", session });
  expect(undone.question).not.toBeNull();
  await replyTo({ type: "close", session });
  expect(await sentenceFor({ type: "undo", session })).toContain("the name of an open session");
});

test.each<[string, Message]>([
  ['There is no request "clustr". Did you mean "cluster"?', { type: "clustr" }],
  ["There is no request", {}],
  ['"options" does not fit', { type: "cluster", table: { rows }, options: 3 }],
  ["k is 3000, but there are only 60 rows", { type: "cluster", table: { rows }, options: { k: 3000 } }],
  ['algorithm is "kmean"', { type: "cluster", table: { rows }, algorithm: "kmean", options: { k: 2 } }],
  ["gamm is 1; it must be left out", { type: "cluster", table: { rows }, options: { k: 2, gamm: 1 } }],
  ["The table has no columns.", { type: "cluster", table: {}, options: { k: 2 } }],
  ["2 columns, but there are 1 names", { type: "cluster", table: { rows, names: ["a"] }, options: { k: 2 } }],
  [
    'Column "b" has 2 cells',
    { type: "cluster", table: { rows, columns: [{ name: "b", numbers: new Float64Array(2) }] }, options: { k: 2 } },
  ],
  [
    '"Infinity" in row 1',
    { type: "cluster", table: { columns: [{ name: "b", numbers: Float64Array.of(1, Infinity, 3) }] }, options: { k: 2 } },
  ],
  [
    "must_link[1]: There is no row 60.",
    {
      type: "cluster",
      table: { rows },
      options: { k: 2 },
      constraints: {
        mustLink: tuples([
          [0, 1],
          [0, 60],
        ]),
      },
    },
  ],
  [
    "cannot_link[0]: There is no row -1.",
    { type: "cluster", table: { rows }, options: { k: 2 }, constraints: { cannotLink: tuples([[0, -1]]) } },
  ],
  [
    "must_link has 3 columns; it must have 2",
    { type: "cluster", table: { rows }, options: { k: 2 }, constraints: { mustLink: tuples([[0, 1, 2]], 3) } },
  ],
  [
    "The code 4 has no name.",
    {
      type: "cluster",
      table: { rows },
      options: { k: 2 },
      constraints: { labels: { rows: Int32Array.of(0), codes: Int32Array.of(4), names: [] } },
    },
  ],
  [
    "The message names the array 5",
    { type: "cluster", table: { rows: { $array: 5 }, columns: [] }, options: { k: 2 }, reading: { sample: rows } },
  ],
  ["There is no such file.", { type: "cluster", table: { path: "/nowhere/table.csv" }, options: { k: 2 } }],
  ["There are 1 labels for 60 rows.", { type: "evaluate", table: { rows }, labels: new Int32Array(1) }],
  ["the strategy npu needs it", { type: "ask", table: { rows }, strategy: "npu" }],
  ['strategy is "no"', { type: "ask", table: { rows }, strategy: "no", k: 2 }],
  ["Give the table, or the number of rows", { type: "diagnose" }],
])("an error is one sentence, and the next request is answered: %s", async (sentence, message) => {
  expect(await sentenceFor(message)).toContain(sentence);
  await replyTo({ type: "close", session: "none" });
});

test("a contradiction has its facts", async () => {
  const constraints = { mustLink: tuples([[0, 1]]), cannotLink: tuples([[0, 1]]) };
  const { error } = await client.ask({
    type: "cluster",
    table: { rows },
    algorithm: "cop-kmeans",
    options: { k: 2 },
    constraints,
  });
  expect(error).toMatchObject({ code: "contradiction", facts: { contradictions: [{ cannotLink: [0, 1], path: [0, 1] }] } });
});

test("a running request and a waiting one are cancelled; progress comes before", async () => {
  const n = 20_000;
  const big = new SentArray(
    Float64Array.from({ length: 8 * n }, (_, i) => ((i * 7919) % 10_007) / 100),
    [n, 8],
  );
  const long = {
    type: "cluster",
    table: { rows: big },
    algorithm: "average-link",
    options: { k: 3 },
    internal: false,
    workers: 1,
  };
  const [first, second] = [client.send(long), client.send(long)];
  const third = client.send({ type: "close", session: "none" });
  await new Promise((resume) => setTimeout(resume, 400));
  const begun = performance.now();
  for (const id of [second, first]) client.send({ id, type: "cancel" });
  for (const id of [first, second]) expect(await client.receive()).toMatchObject({ id, error: { code: "cancelled" } });
  expect(performance.now() - begun).toBeLessThan(2_000);
  expect(await client.receive()).toEqual({ id: third, reply: {} });
  expect(client.progress.length).toBeGreaterThan(0);
});

test("the command: frames alone on standard output, an array in a file, and an end within two seconds when its input ends", async () => {
  const child = spawn(process.execPath, [BIN, "serve", "--stdio"], { stdio: ["pipe", "pipe", "pipe"] });
  const said = text(child.stderr);
  writeFileSync(file("rows.bin"), new Uint8Array(rows.values.buffer));
  const inFile = JSON.stringify({
    ...{ id: 1, type: "cluster", table: { rows: { $array: 0 } }, options: { k: 3 } },
    arrays: [{ type: "f8", shape: [N, 2], file: file("rows.bin") }],
  });
  const length = Buffer.alloc(4);
  length.writeUInt32LE(inFile.length);
  child.stdin.write(Buffer.concat([length, Buffer.from(inFile)]));
  const replies = framesFrom(child.stdout);
  let message: Message = {};
  while (!message.reply) message = (await replies.next()).value!.message() as Message;
  const reply = message.reply as Message;
  expect(labelsOf(reply)).toEqual(labelsOf(await replyTo({ type: "cluster", table: { rows }, options: { k: 3 } })));
  const n = 20_000;
  const big = new SentArray(
    new Float64Array(8 * n).map((_, i) => ((i * 7919) % 10_007) / 100),
    [n, 8],
  );
  for (const part of frameOf({ id: 2, type: "cluster", table: { rows: big }, algorithm: "average-link", options: { k: 3 } }))
    child.stdin.write(part);
  await replies.next();
  const begun = performance.now();
  child.stdin.end();
  for await (const _ of replies);
  const code = child.exitCode ?? (await new Promise((resolve) => child.on("exit", resolve)));
  expect(code).toBe(0);
  expect(performance.now() - begun).toBeLessThan(2_000);
  expect(await said).toBe("");
});

test("the command without --stdio says what to do", async () => {
  const failed = await promisify(execFile)(process.execPath, [BIN, "serve"]).catch((error) => error);
  expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining("coterie serve --stdio") });
});

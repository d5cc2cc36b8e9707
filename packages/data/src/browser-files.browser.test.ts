/** What `@coterie/data/browser` exports, in a browser: a table and its files in, instances and files out. */
import { cluster, constraints } from "@coterie/core/internal";
import * as data from "@coterie/data/browser";
import { expect, test } from "vitest";

/** A file as a page gets it from a person: its stream gives pieces. */
function chunksOf(content: string | Uint8Array<ArrayBuffer>): AsyncIterable<Uint8Array> {
  const stream = new Blob([content]).stream();
  return (async function* () {
    const reader = stream.getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value;
  })();
}

const rows = ["ann,0,0.5,red", "bob,0.2,0,red", "cy,9,9.5,blue", "dee,9.4,9,blue"];
const csv = `id,x,y,colour\n${rows.join("\n")}\n`;
const json = rows
  .map((row) => row.split(","))
  .map(([id, x, y, colour]) => `${JSON.stringify({ id, x: Number(x), y: Number(y), colour })}\n`)
  .join("");
const arff = `@relation r\n@attribute id string\n@attribute x real\n@attribute y real\n@attribute colour {red,blue}\n@data\n${rows.join("\n")}\n`;

const reading = { id: "id", truth: "colour", scale: "none" } as const;

test.each([
  ["csv", csv],
  ["tsv", csv.replaceAll(",", "\t")],
  ["jsonl", json],
  ["arff", arff],
] as const)("%s is read, clustered with a constraint file, and written", async (format, text) => {
  const table = await data.readStream(format, chunksOf(text), { file: `people.${format}`, ...data.readingOf(reading) });
  const { instances } = data.instancesOf(table, reading);
  expect(instances.ids).toEqual(["ann", "bob", "cy", "dee"]);
  expect([...instances.x]).toEqual([0, 0.5, 0.2, 0, 9, 9.5, 9.4, 9]);
  const { set } = await data.readConstraints(chunksOf("type,a,b\ncannot-link,ann,cy\nmust-link,cy,dee\n"), {
    file: "known.csv",
    rows: instances,
  });
  const { labels } = cluster(instances, set, { algorithm: "cop-kmeans", k: 2 });
  const written = [...data.writeLabels(labels, instances.ids)].join("");
  expect(written).toBe("id,cluster\nann,0\nbob,0\ncy,1\ndee,1\n");
  const back = await data.readLabels(chunksOf(written), { file: "labels.csv", rows: instances });
  expect([...back.labels.codes]).toEqual([...labels]);
});

test("matrices, constraint sets and hierarchies are read back as they were written", async () => {
  const matrix = await data.readNpy(chunksOf(data.writeNpy(Float64Array.of(1, 2, 3, 4), 2, 2) as Uint8Array<ArrayBuffer>), {
    file: "m.npy",
  });
  expect(matrix.columns.map((column) => column.kind === "numeric" && [...column.values])).toEqual([
    [1, 3],
    [2, 4],
  ]);
  const set = constraints({ n: 3 }, { mustLink: [[0, 1, 2.5]], relative: [[0, 1, 2]], labels: [[2, "a,b"]] });
  const { set: back } = await data.readConstraints(chunksOf([...data.writeConstraints(set)].join("")), {
    file: "known.csv",
    rows: { n: 3 },
  });
  const { notices: _, ...plain } = set;
  expect(back).toEqual(plain);
  const tree = data.parseNewick("((a,b),'c d');", "t.nwk");
  expect(data.parseHierarchy(data.writeTreeJson(tree), "t.json")).toEqual(tree);
});

test("bad input gets its sentence", async () => {
  await expect(
    data.readConstraints(chunksOf("type,a,b\nlabel,0,x\nlabel,0,y\n"), { file: "k.csv", rows: { n: 2 } }),
  ).rejects.toThrow('k.csv, line 3: Row "0" is labelled "y", but "x" earlier. Keep one of the two labels.');
});

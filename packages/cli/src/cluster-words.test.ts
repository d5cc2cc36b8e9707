/** Words of clusters: in the report, at the terminal and on the page, if the table has a column with free text. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { coterie, folderWith } from "./testing/console.js";

const things = ["blue", "old", "new", "tall", "small", "round", "cheap", "heavy"];
const COMMENTS = [
  (thing: string, i: number) => `The parcel with the ${thing} box was late and the courier lost it on day ${i}`,
  (thing: string, i: number) => `I want a refund of the invoice for the ${thing} chair, number ${i}`,
  (thing: string, i: number) => `The phone screen is broken and it does not charge in the ${thing} case <${i}>`,
];
const rows = things.flatMap((thing, i) => COMMENTS.map((comment, c) => ({ x: 100 * c + i, text: comment(thing, i) })));
const TABLE = `x,comment\n${rows.map(({ x, text }) => `${x},"${text}"`).join("\n")}\n`;

test("a column with free text: words in the report, at the terminal and on the page", async () => {
  const folder = folderWith({ "t.csv": TABLE });
  const page = join(folder, "p.html");
  const { code, out, err } = await coterie("cluster", join(folder, "t.csv"), "-k", "3", "--json", "--html", page);
  expect(code, err).toBe(0);
  const { words, labels } = JSON.parse(out);
  expect(labels.slice(0, 6)).toEqual([0, 1, 2, 0, 1, 2]);
  expect(words).toHaveLength(3);
  const [parcels, refunds, phones] = words.map((list: string[]) => list.join(" "));
  for (const word of ["parcel", "courier", "late"]) expect(parcels).toContain(word);
  for (const word of ["refund", "invoice", "chair"]) expect(refunds).toContain(word);
  expect(words[2]).toContain("phone screen");
  expect(`${parcels} ${refunds} ${phones}`.split(" ")).not.toContain("the");
  expect(err).toContain("Words:\n  cluster 0: ");
  expect(err).toMatch(/ {2}cluster 2: .*phone screen/);
  const section = /<h2>Words.*?<\/section>/s.exec(readFileSync(page, "utf8"))![0];
  expect(section).toContain(words[0].join(", "));
  expect(section).toContain("does not charge in the blue case &lt;0&gt;");
  expect(section).not.toContain("doubtful");
});

test("the mixture has probabilities: its page has a column for doubtful texts", async () => {
  const mixed = Array.from({ length: 60 }, (_, i) => `${(i * 7) % 60},"${COMMENTS[i % 2]!(things[i % 8]!, i)}"`);
  const folder = folderWith({ "t.csv": `x,comment\n${mixed.join("\n")}\n` });
  const page = join(folder, "p.html");
  const { code, out, err } = await coterie(
    ...["cluster", join(folder, "t.csv"), "-k", "2", "--algorithm", "mixture", "--covariance", "diagonal"],
    ...["--type", "comment=text", "--weight", "comment=0.001", "--html", page, "--json"],
  );
  expect(code, err).toBe(0);
  expect(Math.min(...JSON.parse(out).probabilities.map((row: number[]) => Math.max(...row)))).toBeLessThan(0.9);
  expect(readFileSync(page, "utf8")).toContain("<th>most doubtful texts</th>");
});

test("no words without free text, and none of duplicates", async () => {
  const folder = folderWith({
    "t.csv": TABLE,
    "n.csv": `x,kind\n${rows.map(({ x }, i) => `${x},${i % 2 ? "a" : "b"}`).join("\n")}\n`,
  });
  const plain = await coterie("cluster", join(folder, "n.csv"), "-k", "3", "--json");
  expect(JSON.parse(plain.out).words).toBeUndefined();
  expect(plain.err).not.toContain("Words:");
  const same = await coterie("cluster", join(folder, "t.csv"), "--algorithm", "duplicates", "--json");
  expect(same.code, same.err).toBe(0);
  expect(JSON.parse(same.out).words).toBeUndefined();
});

test("after questions, the final clusters have words too", async () => {
  const truth = `${TABLE.trim()
    .split("\n")
    .map((line, i) => (i === 0 ? `${line},topic` : `${line},t${(i - 1) % 3}`))
    .join("\n")}\n`;
  const folder = folderWith({ "t.csv": truth });
  const { code, out, err } = await coterie(
    "ask",
    join(folder, "t.csv"),
    "-k",
    "3",
    "--truth",
    "topic",
    "--simulate",
    "--budget",
    "6",
    "--json",
  );
  expect(code, err).toBe(0);
  expect(JSON.parse(out).words).toHaveLength(3);
});

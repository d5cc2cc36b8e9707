/** Dates, money and percent: written as people write them wherever a value of a column is shown; numbers where programs read them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { explainLabels } from "./index.js";
import { readLabels, readTable } from "./library/data.js";
import { coterie, folderWith } from "./testing/console.js";

const day = (days: number): string => new Date(days * 86_400_000).toISOString().slice(0, 10);

/** Old and new customers, who part at a day, or at an amount, or at a share. */
const rows = Array.from({ length: 40 }, (_, i) => {
  const late = i >= 20;
  return {
    id: `c${i}`,
    last_order: day(10_079 + i),
    income: `$${late ? "6" : "1"},${200 + i}.50`,
    discount: `${late ? 30 + i / 10 : 5 + i / 10}%`,
    visit: `${late ? "18" : "09"}:${10 + i}`,
    cluster: late ? "late" : "early",
  };
});
let folder: string;
const file = (name: string) => join(folder, name);

beforeAll(() => {
  const lines = rows.map((row) => `${row.id},${row.last_order},"${row.income}",${row.discount},${row.visit}`);
  folder = folderWith({
    "orders.csv": `id,last_order,income,discount,visit\n${lines.join("\n")}\n`,
    "groups.csv": `id,cluster\n${rows.map(({ id, cluster }) => `${id},${cluster}`).join("\n")}\n`,
    "known.csv": `type,a,b\nmust-link,c0,c19\nmust-link,c20,c39\ncannot-link,c0,c39\nmust-link,c18,c21\n`,
  });
});

const RULES = [
  ["last_order", "last_order > 1997-08-25", "last_order ≤ 1997-08-25"],
  ["income", "income > $4,000", "income ≤ $4,000"],
  ["discount", "discount > 20%", "discount ≤ 20%"],
  ["visit", "visit > 14:24:00", "visit ≤ 14:24:00"],
] as const;

/** A date or a time of day as a number: in a rule, or as the whole text of a cell or of a tick. */
const NUMBER_OF_DAYS = /(?:(?:&gt;|≤) |>)(?:10,?[01]\d\d(?:\.\d+)?|0\.[1-9]\d{4,})(?= and|[<?:])/;

test.each(RULES)("explain: the rule about %s in words, as a page and from the library", async (column, above, below) => {
  const args = ["explain", file("groups.csv"), "--data", file("orders.csv"), "--id", "id", "--describe", column];
  const { code, out } = await coterie(...args, "--html", file("why.html"));
  expect(code).toBe(0);
  expect(out).toContain(`${above}?`);
  expect(out).toContain(`\n  ${below}\n`);
  const page = readFileSync(file("why.html"), "utf8");
  expect(page.includes(above.replace(">", "&gt;"))).toBe(true);
  expect(NUMBER_OF_DAYS.exec(page)?.[0]).toBeUndefined();
  const report = JSON.parse((await coterie(...args, "--json")).out);
  expect(report.clusters.map(({ rule }: { rule: string }) => rule).sort()).toEqual([above, below].sort());
  expect(typeof report.tree.root.test.above).toBe("number");
  const points = await readTable(file("orders.csv"), { id: "id", missing: "error" });
  const labels = await readLabels(file("groups.csv"), points);
  expect([...explainLabels(points, labels, { describe: [column] }).rules].sort()).toEqual([above, below].sort());
});

test("a run's report keeps numbers, says what its columns hold, and its rules, page and summary are written as people write", async () => {
  const args = [
    "cluster",
    file("orders.csv"),
    "--id",
    "id",
    "-k",
    "2",
    "-a",
    "clusilc",
    "--scale",
    "none",
    "--features",
    "last_order,income",
  ];
  const { out, err } = await coterie(
    ...[...args, "--constraints", file("known.csv"), "--describe", "last_order"],
    ...["--json", "--html", file("page.html")],
  );
  const report = JSON.parse(out);
  expect(report.columns).toEqual([
    { name: "last_order", kind: "date" },
    { name: "income", kind: "money", unit: "$" },
  ]);
  expect(report.rules.join()).toMatch(/^last_order [>≤] 1997-\d\d-\d\d,last_order [>≤] 1997-\d\d-\d\d$/);
  expect(Number.isInteger(report.tree.root.test.above)).toBe(true);
  expect(err).toMatch(/last_order > 1997-\d\d-\d\d\?/);
  const page = readFileSync(file("page.html"), "utf8");
  expect([/1997-08-06 to 1997-09-14/, />\$1,218\.50</, />11\.5 days</].map((said) => said.test(page))).toEqual([
    true,
    true,
    true,
  ]);
  // The axes and cells of broken constraints too: no day is a number.
  expect(NUMBER_OF_DAYS.exec(page)?.[0]).toBeUndefined();
});

test("notices that name options stand beside the command, not at the top of a page", async () => {
  await coterie("cluster", file("orders.csv"), "--id", "id", "-k", "2", "--html", file("top.html"));
  const [top = "", making = ""] = readFileSync(file("top.html"), "utf8").split("How this was made");
  expect(top).not.toMatch(/--type|--scale/);
  expect(making).toContain("--type last_order=nominal");
});

test("a model with a tree over dates places new rows by them", async () => {
  const args = ["cluster", file("orders.csv"), "--id", "id", "-k", "2", "-a", "clusilc", "--features", "last_order"];
  expect((await coterie(...args, "--model", file("m.json"), "--out", file("out.csv"))).code).toBe(0);
  expect((await coterie("predict", file("m.json"), file("orders.csv"), "--id", "id", "--out", file("again.csv"))).code).toBe(0);
  expect(readFileSync(file("again.csv"), "utf8")).toBe(readFileSync(file("out.csv"), "utf8"));
});

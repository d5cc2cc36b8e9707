/** Pages that commands write: the terminal's names for clusters, and nothing about the machine that they were made on. */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { commandLine } from "./terminal.js";
import { coterie, folderWith } from "./testing/console.js";

const TABLE = ["id;a;b", ...Array.from({ length: 30 }, (_, i) => `r${i};${(i % 3) * 10 + (i % 5)};${i % 7}`), ""].join("\n");
const KNOWN = "type,a,b\nmust-link,r0,r3\nmust-link,r0,r3\ncannot-link,r0,r1\ncannot-link,r1,r2\ncannot-link,r0,r2\n";

test("a cluster has one name in the labels file, at the terminal and on the page", async () => {
  const folder = folderWith({ "t.csv": TABLE, "known.csv": KNOWN });
  const at = (name: string) => join(folder, name);
  const { code, err } = await coterie(
    ...["cluster", at("t.csv"), "-k", "3", "--id", "id", "--algorithm", "clusilc", "--constraints", at("known.csv")],
    ...["--out", at("labels.csv"), "--html", at("page.html")],
  );
  expect(code, err).toBe(0);
  const page = readFileSync(at("page.html"), "utf8");
  const printed = [...err.matchAll(/^ {2}cluster (\S+): (.*)$/gm)].map(([, name, rule]) => [name, rule]);
  const rules = /<h2>Rules.*?<\/section>/s.exec(page)![0];
  const shown = [...rules.matchAll(/<\/svg>([^<]*)<\/th><td class="wide">(.*?)<\/td>/g)].map(([, name, rule]) => [
    name,
    rule!.replaceAll("&gt;", ">").replaceAll("&lt;", "<"),
  ]);
  expect(shown).toEqual(printed);
  const names = new Set(
    readFileSync(at("labels.csv"), "utf8")
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(",")[1]),
  );
  expect(printed.map(([name]) => name)).toEqual([...names].sort());
});

test("no page that a command writes holds a folder of this machine", async () => {
  const folder = folderWith({ "t.csv": TABLE, "known.csv": KNOWN });
  const at = (name: string) => join(folder, name);
  const known = ["--constraints", at("known.csv")];
  const lines = [
    ["cluster", at("t.csv"), "-k", "3", "--id", "id", ...known, "--out", at("labels.csv"), "--html", at("cluster.html")],
    ["diagnose", at("t.csv"), "--id", "id", "-k", "3", ...known, "--html", at("diagnose.html")],
    ["explain", at("labels.csv"), "--data", at("t.csv"), "--id", "id", "--html", at("explain.html")],
  ];
  for (const line of lines) {
    const { code, err } = await coterie(...line);
    expect(code, err).toBe(0);
    const page = readFileSync(at(`${line[0]}.html`), "utf8");
    expect(page).not.toContain(folder);
    expect(page).not.toContain(basename(folder));
    expect(page).toContain("t.csv");
  }
  expect(readFileSync(at("cluster.html"), "utf8")).toMatch(/t\.csv[^<]*;/);
});

test("the command at the foot of a page: paths without their folders, relative ones as they are", () => {
  expect(
    commandLine([
      "cluster",
      "/home/ann lee/my sales.csv",
      "--html=/tmp/x/page.html",
      "--constraints",
      "known/a.csv",
      "~/b.csv",
      "-",
    ]),
  ).toBe('coterie cluster "my sales.csv" --html=page.html --constraints known/a.csv b.csv -');
});

test("the page says how columns were scaled, also where the line does not", async () => {
  const folder = folderWith({ "t.csv": "a,b\n1,2\n2,1\n8,9\n9,8\n" });
  const line = ["cluster", join(folder, "t.csv"), "-k", "2", "--html", join(folder, "p.html")];
  const rowOf = () => /<th scope="row">scale<\/th><td[^>]*>([^<]*)/.exec(readFileSync(join(folder, "p.html"), "utf8"))?.[1];
  expect([(await coterie(...line)).code, rowOf()]).toEqual([0, "none"]);
  expect([(await coterie(...line, "--scale", "minmax")).code, rowOf()]).toEqual([0, "minmax"]);
});

test("a page of mixed columns with missing cells, by a method that fills them: every row is drawn", async () => {
  const page = join(folderWith(), "penguins.html");
  expect(await coterie("cluster", "penguins", "-k", "3", "--html", page)).toMatchObject({ code: 0 });
  const drawn = readFileSync(page, "utf8");
  expect(drawn).not.toContain("NaN");
  expect(drawn.match(/<title>/g)!.length).toBeGreaterThanOrEqual(344);
});

/**
 * The pages of the site: every link leads somewhere, every block of code has a mark and compiles, the quick ones print what stands below them,
 * and the chart of methods agrees with the automatic choice.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  catalogue,
  constraints,
  defaultMethod,
  type Instances,
  instancesFromDistances,
  pointsFromRows,
} from "@coterie/core/internal";
import { afterAll, describe, expect, test } from "vitest";
import { COMMANDS, ENTRIES, sidebar } from "../docs/.vitepress/sections.mjs";
import { commandNames, findCommand } from "../packages/cli/src/commands/index.js";
import { parseFlags } from "../packages/cli/src/flags.js";
import { candidatesFor } from "../packages/core/src/algorithms/auto/candidates.js";
import { blocksOf, compileProblems, docs, pages, root, runPage, shownLines, unmarked } from "./docs/examples.mjs";
import { expandPage } from "./docs/expand.mjs";
import { galleryItems } from "./docs/gallery-items.mjs";
import { QUESTIONS } from "./docs/which-method.mjs";
import { TABLES } from "./docs-tables.mjs";

const long = process.env.COTERIE_LONG === "1";
const all = pages().filter((page) => page !== "api.md");
const read = (page: string) => readFileSync(join(docs, page), "utf8");

/** Markdown files of the evidence, which hold no examples but links. */
function evidence(folder: string): string[] {
  return readdirSync(join(docs, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? evidence(`${folder}/${entry.name}`) : entry.name.endsWith(".md") ? [`${folder}/${entry.name}`] : [],
  );
}

describe("links", () => {
  const anchors = (text: string) =>
    new Set(
      [...text.matchAll(/^#+ (.*?)(?: \{#([\w-]+)\})?$/gm)].map(
        ([, title, id]) =>
          id ??
          title!
            .toLowerCase()
            .replaceAll(/[`*[\]]|\(.*?\)/g, "")
            .trim()
            .replaceAll(/[^\p{L}\d]+/gu, "-")
            .replaceAll(/^-|-$/g, ""),
      ),
    );

  function brokenIn(file: string, text: string): string[] {
    const prose = text.replaceAll(/```[\s\S]*?```/g, "");
    return [...prose.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].flatMap(([, target]) => {
      const [path = "", hash] = target!.split("#");
      const isOfSite = path.startsWith("/");
      const base = isOfSite ? join(docs, path) : path === "" ? file : join(file, "..", decodeURIComponent(path));
      const places = isOfSite
        ? [`${base}.md`, join(base, "index.md"), join(base, "README.md"), join(docs, "public", path)]
        : [base];
      const place = places.find((each) => existsSync(each));
      if (place === undefined) return [`${file}: ${target} leads nowhere`];
      if (!hash || !place.endsWith(".md")) return [];
      return anchors(readFileSync(place, "utf8")).has(hash) ? [] : [`${file}: ${target} has no such heading`];
    });
  }

  test("every link of every page leads to a page, a heading, or a file", () => {
    const folders = ["measurements", "decisions", "experiments"].flatMap(evidence);
    const files = [
      ...[...all, ...folders].map((page) => join(docs, page)),
      join(root, "README.md"),
      join(root, "CONTRIBUTING.md"),
    ];
    expect(files.flatMap((file) => brokenIn(file, readFileSync(file, "utf8")))).toEqual([]);
  });

  test("every page stands in the menu, and every page of the menu is there", () => {
    const linked = new Set<string>();
    const walk = (items: readonly { link?: string; items?: [] }[]) => {
      for (const { link, items: inner } of items) {
        if (link) linked.add(link);
        if (inner) walk(inner);
      }
    };
    for (const items of Object.values(sidebar)) walk(items as []);
    const addresses = all.map((page) => `/${page.replace(/(index)?\.md$/, "")}`).filter((address) => address !== "/");
    expect(addresses.filter((address) => !linked.has(address))).toEqual([]);
    for (const link of linked) {
      const places = [`${link}.md`, `${link}index.md`, `${link}README.md`];
      expect(
        places.some((place) => existsSync(join(docs, place))),
        link,
      ).toBe(true);
    }
  });
});

describe("methods", () => {
  const SECTIONS = ["How it works", "When to use it", "When not", "What it promises about constraints", "Facts"];
  const LAST = ["Where it departs from the paper", "Measured", "Options"];

  test.each(catalogue.map(({ name }) => name))("%s has a page of the template", (name) => {
    const text = read(`methods/${name}.md`);
    expect([...text.matchAll(/^## (.*)$/gm)].map(([, title]) => title)).toEqual([...SECTIONS, ...LAST]);
    for (const part of [
      `<MethodFigure name="${name}" />`,
      ...["facts", "options", "comparison"].map((kind) => `<!-- method-${kind} ${name} -->`),
    ])
      expect(text).toContain(part);
  });

  interface Answer {
    readonly methods?: readonly string[];
    readonly next?: number;
    readonly facts?: { readonly table: string; readonly known: string };
    readonly tries?: readonly string[];
  }
  const answers: readonly Answer[] = QUESTIONS.flatMap(({ answers: each }) => each as readonly Answer[]);

  test("the chart names methods and questions that exist", () => {
    const names = catalogue.map(({ name }) => name);
    for (const { methods = [], next } of answers) {
      for (const name of methods) expect(names).toContain(name);
      if (next !== undefined) expect(QUESTIONS.length).toBeGreaterThanOrEqual(next);
    }
  });

  const rows = Array.from({ length: 20 }, (_, i) => [i % 5, (i * 7) % 11, i]);
  const tables: Record<string, Instances> = {
    numbers: pointsFromRows(rows),
    distances: instancesFromDistances(
      Float64Array.from(rows.flatMap((_, i) => rows.slice(i + 1).map((_row, j) => i + j + 1))),
      "condensed",
    ),
  };
  const known = (points: Instances) => ({
    nothing: constraints(points, {}),
    pairs: constraints(points, { mustLink: [[0, 1]], cannotLink: [[0, 2]] }),
    labels: constraints(points, {
      labels: [
        [0, "a"],
        [1, "b"],
      ],
    }),
    relative: constraints(points, { relative: [[0, 1, 2]] }),
  });

  test.each(answers.filter(({ facts }) => facts))("auto agrees with the chart: %o", ({ facts, tries, methods }) => {
    const points = tables[facts!.table]!;
    const set = known(points)[facts!.known as "pairs"];
    expect(methods).toContain(defaultMethod(set));
    if (!tries) return;
    const candidates = candidatesFor(points, set, 2).filter(({ scale }) => scale === "given");
    const byPrior = [...candidates].sort((a, b) => b.prior - a.prior);
    expect(byPrior.map(({ method }) => method.name)).toEqual(tries);
  });
});

describe("examples", () => {
  test("every block says whether it runs", () => {
    expect(all.flatMap((page) => unmarked(page, read(page)))).toEqual([]);
  });

  test("blocks of TypeScript compile", () => {
    expect(compileProblems(all)).toEqual([]);
  }, 120_000);

  test("commands that are only shown have known names and flags", async () => {
    const lines = all.flatMap((page) =>
      blocksOf(read(page))
        .filter(({ language, words }) => language === "sh" && words.includes("shown"))
        .flatMap(({ code }) => code.split("\n").filter((line) => line.startsWith("coterie "))),
    );
    expect(lines.length).toBeGreaterThan(4);
    for (const line of lines) {
      const [name, ...args] = line.replaceAll("'", "").split(/\s+/).slice(1);
      const command = await findCommand(name!);
      const parsed = parseFlags(args, command!.flags, true);
      const more = (await command!.moreFlags?.(parsed)) ?? [];
      expect(() => parseFlags(args, [...command!.flags, ...more]), line).not.toThrow();
    }
  });

  test("lines of an output are chosen, with a mark for those left out", () => {
    expect(shownLines("a\nb\nc\nd\n", { show: "2-3" })).toBe("…\nb\nc\n…");
    expect(shownLines("one\ntwo\nthree\n", { find: "o" })).toBe("one\ntwo\n…");
    expect(shownLines("a\nb\n")).toBe("a\nb");
  });

  test("the tables are what their script makes", () => {
    for (const [name, textOf] of Object.entries(TABLES as Record<string, () => string>))
      expect(readFileSync(join(docs, "public/data", name), "utf8") === textOf(), name).toBe(true);
  });

  const scratch = mkdtempSync(join(tmpdir(), "coterie-pictures-"));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));
  const withBlocks = all.filter((page) =>
    blocksOf(read(page)).some(({ words }) => words.includes("run") || (long && words.includes("long"))),
  );

  // The blocks use a shell with head and grep.
  test.skipIf(process.platform === "win32").each(withBlocks)(
    "%s shows what its blocks print and draw",
    async (page) => {
      const { text, written, problems } = await runPage(page, { long, pictureFolder: scratch });
      expect(problems).toEqual([]);
      expect(written).toBe(text);
      for (const name of readdirSync(scratch))
        expect(
          readFileSync(join(scratch, name), "utf8") === readFileSync(join(docs, "public/pictures", name), "utf8"),
          name,
        ).toBe(true);
    },
    300_000,
  );

  test("the gallery has thirty pictures and more, each drawn by a program or opened by a link", () => {
    const items = galleryItems();
    expect(items.length).toBeGreaterThanOrEqual(30);
    for (const { image } of items) expect(existsSync(join(docs, "public", image)), image).toBe(true);
  });
});

test("what the sources add to a page leaves its headings and blocks", () => {
  for (const page of all) {
    const [before, after] = [read(page), expandPage(read(page), page)];
    const headings = [...before.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ .*$/gm)].map(([line]) => line);
    expect(
      headings.filter((line) => !after.includes(line)),
      page,
    ).toEqual([]);
    expect(after.match(/<!-- (method|command|library|schema|gallery|which|http)/), page).toBeNull();
  }
});

test("the reference has every command and every entry point", () => {
  expect([...COMMANDS].sort()).toEqual(
    commandNames()
      .map(({ name }) => name)
      .sort(),
  );
  const { exports: entryPoints } = JSON.parse(readFileSync(join(root, "packages/cli/package.json"), "utf8"));
  const listed = Object.keys(entryPoints).filter((entry) => entry !== "./browser");
  expect([...ENTRIES].sort()).toEqual(listed.map((entry) => (entry === "." ? "coterie" : entry.slice(2))).sort());
});

/** The names on the studio's controls are a contract: whoever automates it finds each by its role and its name. */
import type { Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningStudio, startStudio } from "./server.js";

const PATIENCE = 60_000;

let studio: RunningStudio;

beforeAll(async () => {
  studio = await startStudio();
}, 120_000);

afterAll(() => studio?.stop());

type Role = Parameters<Page["getByRole"]>[0];
type Named = readonly [Role, string | RegExp];

/** Those that are not on the page. The last ones are waited for, so that nothing is missed that is only late. */
async function missing(page: Page, names: readonly Named[]): Promise<readonly string[]> {
  const absent: string[] = [];
  for (const [role, name] of names) {
    const found = page.getByRole(role, { name, ...(typeof name === "string" ? { exact: true } : {}) }).first();
    const isThere = await found.waitFor({ timeout: absent.length === 0 ? 20_000 : 2_000 }).then(
      () => true,
      () => false,
    );
    if (!isThere) absent.push(`${role} ${name}`);
  }
  return absent;
}

test("start", { timeout: 180_000, retry: 2 }, async () => {
  const page = await studio.open("#/");
  expect(
    await missing(page, [
      ["link", "Coterie"],
      ["search", ""],
      ["button", /^Find project or command/],
      ["button", "Theme"],
      ["heading", "Start with a table"],
      ["button", /^Choose a file/],
      ["button", /^Paste a table/],
      ["heading", "Or open a sample"],
      ["columnheader", "Name"],
      ["columnheader", "What it holds"],
      ["columnheader", "Rows"],
      ["columnheader", "Columns"],
      ["columnheader", "Good for"],
      ["heading", "Recent"],
      ["button", "All projects"],
    ]),
  ).toEqual([]);
  for (const words of ["Drop a file here", "Must-link", "Cannot-link", "Odd one out", "Label", "At most one per source"])
    await page.getByText(words, { exact: true }).first().waitFor();
  await page.close();
});

const TOP: readonly Named[] = [
  ["button", /^penguins/],
  ["navigation", "Project"],
  ["link", "Map"],
  ["link", /^Ask/],
  ["link", "Compare"],
  ["link", "Understand"],
  ["button", /^Find row or command/],
  ["button", "Export"],
  ["button", "Theme"],
];

/** A project with answers of every kind, a contradiction and three runs. */
async function filled(): Promise<Page> {
  const page = await studio.open("#/");
  await page.getByRole("button", { name: "penguins", exact: true }).click();
  await page.getByRole("img", { name: /^Map of \d+ rows$/ }).waitFor({ timeout: PATIENCE });
  const project = page.url().match(/projects\/([^/]+)/)![1]!;
  const call = async (method: string, path: string, body: object) => {
    const reply = await fetch(`${studio.origin}/api/projects/${project}${path}`, {
      method,
      headers: { authorization: "Bearer test-token", "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(await reply.text());
    return (await reply.json()) as { number: number };
  };
  const entry = (constraint: object, i: number) => ({
    id: `named-answer-${i}`,
    by: "me",
    from: { kind: "drawn" },
    change: { type: "add", constraint },
  });
  const facts = [
    { type: "must-link", a: 0, b: 14 },
    { type: "must-link", a: 14, b: 23 },
    { type: "cannot-link", a: 0, b: 23 },
    { type: "label", a: 1, class: "Adelie" },
    { type: "label", a: 160, class: "Chinstrap" },
    { type: "label", a: 330, class: "Gentoo" },
    { type: "relative", a: 5, b: 6, c: 300 },
  ];
  await call("PATCH", "", { k: 3 });
  await call("POST", "/entries", { entries: facts.map(entry) });
  for (const algorithm of ["kmeans", "ccl", "mpck-means"]) {
    const { number } = await call("POST", "/runs", { algorithm, options: { k: 3 }, seed: 0 });
    await page.getByRole("button", { name: new RegExp(`^Colour Run ${number}`) }).waitFor({ timeout: PATIENCE });
  }
  return page;
}

test("map", { timeout: 300_000, retry: 2 }, async () => {
  const page = await filled();
  await page.locator(".method-field .field").click();
  await page.getByRole("option", { name: /^MPCK-means/ }).click();
  await page.getByRole("application").focus();
  for (const key of ["Space", "ArrowRight", "Space"]) await page.keyboard.press(key);
  expect(
    await missing(page, [
      ...TOP,
      ["complementary", "Data and knowledge"],
      ["button", "Data options"],
      ["button", "None"],
      ["button", "Z-score"],
      ["button", "Min–max"],
      ["button", "Filter"],
      ["button", "Add"],
      ["button", "All"],
      ["button", "= 2"],
      ["button", "≠ 1"],
      ["button", "ab|c 1"],
      ["button", "label 3"],
      ["button", /choose a column/],
      ["toolbar", "Tools"],
      ["button", "Select (V)"],
      ["button", "Lasso (L)"],
      ["button", "Link (K)"],
      ["button", "Pan (H)"],
      ["button", /^Colour Run 3, MPCK-means/],
      ["button", /^Axes PCA 1 × 2/],
      ["button", "Zoom out"],
      ["button", "Fit"],
      ["button", "Zoom in"],
      ["img", /^Map of \d+ rows$/],
      ["dialog", /^Rows \d+ and \d+$/],
      ["button", "Close"],
      ["button", /^Same/],
      ["button", /^Different/],
      ["button", /^Odd one out: pick a third/],
      ["button", /^Label both/],
      ["complementary", "Diagnosis, method, run"],
      ["img", "0 is linked to 14, 14 to 23"],
      ["button", "Drop 0 ≠ 23"],
      ["button", "Show chain"],
      ["button", "Ask me again"],
      ["button", "Show core"],
      ["spinbutton", "Clusters"],
      ["button", "One for all"],
      ["button", "One per cluster"],
      ["slider", "Price of a break"],
      ["button", "Edit"],
      ["button", /^Run MPCK-means/],
      ["button", "More options"],
    ]),
    "map",
  ).toEqual([]);
  await page.close();
});

test("states: nothing stated, a bad file, too few clusters", { timeout: 240_000, retry: 2 }, async () => {
  const page = await studio.open("#/");
  const bad = "width,height,kind\n1,2,a\n3,4\n5,6,b\n7,8,a\n";
  await page.getByLabel("Files").setInputFiles({ name: "bad.csv", mimeType: "text/csv", buffer: Buffer.from(bad) });
  await page.getByText(/bad\.csv, line 3/).waitFor({ timeout: PATIENCE });
  expect(
    await missing(page, [
      ["button", "Leave out line 3"],
      ["button", "Choose another file"],
    ]),
    "a bad file",
  ).toEqual([]);
  await page.getByRole("button", { name: "Leave out line 3" }).click();
  await page.getByRole("img", { name: "Map of 3 rows" }).waitFor({ timeout: PATIENCE });
  await page.getByText("No answers yet", { exact: true }).waitFor();
  expect(
    await missing(page, [
      ["button", "Ask me"],
      ["button", "Import constraints"],
    ]),
    "nothing stated",
  ).toEqual([]);
  for (const said of ["0 is a", "1 is b", "2 is c"]) {
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("menuitem", { name: "Type an answer" }).click();
    await page.getByRole("textbox", { name: "Answer" }).fill(said);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Type an answer" }).waitFor({ state: "detached" });
  }
  await page.getByRole("spinbutton", { name: "Clusters" }).fill("2");
  expect(
    await missing(page, [
      ["button", "Use 3 clusters"],
      ["button", "Review labels"],
    ]),
    "too few clusters",
  ).toEqual([]);
  await page.close();
});

/** The names on the studio's controls are a contract: whoever automates it finds each by its role and its name. */
import type { Locator, Page } from "playwright";
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

/** Expects that all are on the page, which is in a state. The last ones are waited for, so that nothing is missed that is only late. */
async function expectAll(page: Page, state: string, names: readonly Named[]): Promise<void> {
  const absent: string[] = [];
  for (const [role, name] of names) {
    const found = page.getByRole(role, { name, ...(typeof name === "string" ? { exact: true } : {}) }).first();
    const isThere = await found.waitFor({ timeout: absent.length === 0 ? 30_000 : 3_000 }).then(
      () => true,
      () => false,
    );
    if (!isThere) absent.push(`${role} ${name}`);
  }
  expect(absent, state).toEqual([]);
}

test("start", { timeout: 180_000, retry: 2 }, async () => {
  const page = await studio.open("#/");
  await expectAll(page, "start", [
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
  ]);
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
async function filled() {
  const page = await studio.open("#/");
  page.setDefaultTimeout(PATIENCE);
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
    { type: "must-link", a: 40, b: 200 },
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
  return { page, project, call, entry };
}

test("map, ask, compare and understand", { timeout: 300_000, retry: 2 }, async () => {
  const { page, project, call, entry } = await filled();
  const go = (view: string) =>
    page.evaluate((hash) => {
      location.hash = hash;
    }, `#/projects/${project}/${view}`);
  await page.locator(".method-field .field").click();
  const methods = ["k-means", "COP-k-means", "PCK-means", "Constrained link", "ReCon", "ClusILC tree"];
  await expectAll(
    page,
    "methods",
    methods.map((title) => ["option", new RegExp(`^${title}`)] as const),
  );
  await page.getByRole("option", { name: /^MPCK-means/ }).click();
  await page.getByRole("application").focus();
  for (const key of ["Space", "ArrowRight", "Space"]) await page.keyboard.press(key);
  await expectAll(page, "map", [
    ...TOP,
    ["complementary", "Data and knowledge"],
    ["button", "Data options"],
    ["button", "Show"],
    ["button", "Scale features: Automatic"],
    ["button", "Filter"],
    ["button", "Add"],
    ["button", "All"],
    ["button", "= 3"],
    ["button", "≠ 1"],
    ["button", "ab|c 1"],
    ["button", "label 3"],
    ["button", /Choose a column/],
    ["toolbar", "Tools"],
    ["button", "Select (V)"],
    ["button", "Lasso (L)"],
    ["button", "Link (E)"],
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
    ["button", "Answer again"],
    ["img", /^\d clusters ruled out, \d and more possible$/],
    ["button", "Show these groups"],
    ["button", "Check it"],
    ["button", "use ReCon"],
    ["spinbutton", "Clusters"],
    ["button", "One for all"],
    ["button", "One per cluster"],
    ["slider", "Penalty factor"],
    ["button", "Edit"],
    ["button", /^Run MPCK-means/],
    ["button", "More options"],
  ]);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Check it" }).click();
  await page.getByRole("dialog", { name: /^Rows \d+ and \d+$/ }).waitFor();
  await page.keyboard.press("Escape");

  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find row or command" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("t");
  await page.getByRole("listbox", { name: "Rows" }).waitFor();
  await page.keyboard.press("t");
  await page.getByRole("application").waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("a");
  await expectAll(page, "ask", [
    ...TOP,
    ["button", /^Ask about all clusters/],
    ["button", /^Colour/],
    ["button", "Fit all"],
    ["img", "0 of 20 questions answered"],
    ["button", "Stop"],
    ["heading", "Do these two belong together?"],
    ["columnheader", "Widest gap first"],
    ["columnheader", "Gap"],
    ["button", /^Same/],
    ["button", /^Different/],
    ["button", /^Don’t know/],
    ["button", /^Undo/],
  ]);
  await page.keyboard.press("d");
  await expectAll(page, "ask, after an answer", [
    ["heading", /^Your last answer, \d+ ≠ \d+$/],
    ["heading", "Answered 1"],
    ["link", "Ask 19 left"],
    ["img", "1 of 20 questions answered"],
    ["button", /^Undo/],
  ]);

  await go("compare?before=1&after=3");
  await expectAll(page, "compare", [
    ["button", /^Before Run 1, k-means/],
    ["button", "Swap"],
    ["button", /^After Run 3, MPCK-means/],
    ["button", "Moved only"],
    ["button", "All rows"],
    ["columnheader", "Run 1"],
    ["columnheader", "Run 3"],
    ["columnheader", "Change"],
    ["heading", "Flows"],
    ["heading", "Moved rows"],
    ["button", "Copy rows"],
    ["columnheader", "Row"],
    ["columnheader", "Why"],
  ]);
  await page.keyboard.press("t");
  await page.getByRole("listbox", { name: "Rows in both runs" }).waitFor();
  await page.getByRole("columnheader", { name: /Run 1 to Run 3/ }).waitFor();
  await page.keyboard.press("x");
  await page.getByRole("button", { name: /^Before Run 3/ }).waitFor();

  await go("understand?run=2");
  await expectAll(page, "understand", [
    ["button", /^Run 2, /],
    ["button", /^Cluster all/],
    ["columnheader", "Columns, highest separation first"],
    ["columnheader", "Spread in each cluster, mark at the median"],
    ["columnheader", "Separation"],
    ["heading", "Dendrogram"],
    ["img", /^Dendrogram of \d+ rows cut at .* into 3 clusters$/],
    ["heading", "Rules"],
    ["img", "Decision tree"],
    ["heading", "Export"],
    ["button", "Labels csv"],
    ["button", "Constraints csv"],
    ["button", "Model json"],
    ["button", "Report html"],
    ["button", "Copy as command"],
    ["button", "Copy as TypeScript"],
  ]);
  // On a narrow page parts stand one under the other, and none covers the next.
  const underneath = async (above: Locator, heading: string) => {
    const gap = async () => {
      const [upper, lower] = await Promise.all([above.boundingBox(), page.getByRole("heading", { name: heading }).boundingBox()]);
      return lower!.y - (upper!.y + upper!.height);
    };
    await expect.poll(gap, { timeout: PATIENCE, message: heading }).toBeGreaterThanOrEqual(0);
  };
  await page.setViewportSize({ width: 768, height: 900 });
  await underneath(page.getByRole("columnheader", { name: "Separation" }).locator("xpath=ancestor::table"), "Dendrogram");
  await underneath(page.getByRole("img", { name: /^Dendrogram/ }), "Rules");
  await go("compare?before=1&after=3");
  await underneath(page.getByRole("columnheader", { name: "Change" }).locator("xpath=ancestor::table"), "Flows");
  await page.setViewportSize({ width: 1440, height: 900 });
  await go("understand?run=2");
  await page.getByRole("img", { name: /^Dendrogram .* into 3 clusters$/ }).waitFor();
  await page.keyboard.press("[");
  await page.getByRole("img", { name: /into 4 clusters$/ }).waitFor();
  await page.keyboard.press("t");
  await page.getByRole("button", { name: "Cut into 4 clusters" }).waitFor();
  await page.getByRole("columnheader", { name: "Conditions" }).waitFor();
  await page.keyboard.press("t");
  await page.getByRole("button", { name: "Export" }).click();
  await expectAll(page, "export", [
    ["menuitem", /^Labels/],
    ["menuitem", /^Constraints/],
    ["menuitem", /^Model/],
    ["menuitem", /^Report/],
    ["menuitem", /^Copy as TypeScript/],
    ["menuitem", /^Copy as command/],
  ]);
  await page.keyboard.press("Escape");

  // A linkage that looks at no constraint breaks some: another cut would keep them, or nothing would.
  await call("POST", "/entries", { entries: [entry({ type: "cannot-link", a: 100, b: 102 }, 99)] });
  const { number } = await call("POST", "/runs", { algorithm: "complete-link", options: { k: 3 }, seed: 0 });
  await go("map");
  await page.getByRole("button", { name: new RegExp(`^Colour Run ${number}`) }).waitFor({ timeout: PATIENCE });
  await go(`understand?run=${number}`);
  await expectAll(page, "broken answers", [
    ["heading", /answers? broken$/],
    ["button", "Move cut"],
    ["button", "Drop"],
  ]);
  const adelie = Array.from({ length: 20 }, (_, i) => ({ type: "label", a: 50 + i, class: "Adelie" }));
  await call("POST", "/entries", { entries: adelie.map((constraint, i) => entry(constraint, 100 + i)) });
  await go("map");
  await page.getByRole("button", { name: /^Ask about [A-C]$/ }).click({ timeout: PATIENCE });
  await page.getByRole("button", { name: /^Ask about [A-C]/ }).waitFor({ timeout: PATIENCE });
  await page.getByRole("heading", { name: "Do these two belong together?" }).waitFor({ timeout: PATIENCE });
  await page.close();
  expect(studio.faults).toEqual([]);
});

test("states: nothing stated, a bad file, too few clusters", { timeout: 240_000, retry: 2 }, async () => {
  const page = await studio.open("#/");
  const bad = "width,height,kind\n1,2,a\n3,4\n5,6,b\n7,8,a\n";
  await page.getByLabel("Files").setInputFiles({ name: "bad.csv", mimeType: "text/csv", buffer: Buffer.from(bad) });
  await page.getByText(/bad\.csv, line 3/).waitFor({ timeout: PATIENCE });
  await expectAll(page, "a bad file", [
    ["button", "Leave out line 3"],
    ["button", "Choose another file"],
  ]);
  await page.getByRole("button", { name: "Leave out line 3" }).click();
  await page.getByRole("img", { name: "Map of 3 rows" }).waitFor({ timeout: PATIENCE });
  await page.getByText("No answers yet", { exact: true }).waitFor();
  await expectAll(page, "nothing stated", [
    ["button", "Start questions"],
    ["button", "Import constraints"],
  ]);
  for (const said of ["0 is a", "1 is b", "2 is c"]) {
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("menuitem", { name: "Type an answer" }).click();
    await page.getByRole("textbox", { name: "Answer" }).fill(said);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Type an answer" }).waitFor({ state: "detached" });
  }
  await page.getByRole("spinbutton", { name: "Clusters" }).fill("2");
  await expectAll(page, "too few clusters", [
    ["button", "Use 3 clusters"],
    ["button", "Review labels"],
  ]);
  await page.locator(".method-field .field").click();
  await page.getByRole("option", { name: /^COP-k-means/ }).click();
  await page.keyboard.press("Control+Enter");
  await page.getByRole("button", { name: "Use PCK-means" }).click({ timeout: PATIENCE });
  await page.getByRole("button", { name: /^Run PCK-means/ }).waitFor();
  await page.close();
});

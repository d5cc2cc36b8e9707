/** The studio from end to end: the real command, a real server, a real Chromium. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Download, Locator, Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tasksDuring, zoomAndMove } from "../../../../tools/main-thread.mjs";
import { answerByKeys, type RunningStudio, startStudio } from "./server.js";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");
const PATIENCE = 60_000;
const long = process.env.COTERIE_LONG === "1";
const SCHEMES: readonly ("light" | "dark")[] = long ? ["light", "dark"] : ["light"];

let studio: RunningStudio;

beforeAll(async () => {
  studio = await startStudio();
}, 120_000);

afterAll(() => studio?.stop());

/** Three clumps of twenty rows in two columns, and what they are. */
function clumps(): string {
  const rows = Array.from({ length: 60 }, (_, i) => {
    const group = i % 3;
    const [x, y] = [
      [0, 0],
      [6, 0],
      [3, 5],
    ][group]! as [number, number];
    return `${(x + Math.sin(i * 7.1)).toFixed(3)},${(y + Math.cos(i * 3.7)).toFixed(3)},${"abc"[group]}`;
  });
  return ["width,height,kind", ...rows].join("\n");
}

/** A project of a sample, on its map. */
async function openSample(name: string): Promise<Page> {
  const page = await studio.open("#/");
  await page.getByRole("button", { name, exact: true }).click();
  await page.getByRole("img", { name: /^Map of \d+ rows$/ }).waitFor({ timeout: PATIENCE });
  return page;
}

function projectOf(page: Page): string {
  return page.url().match(/projects\/([^/]+)/)![1]!;
}

async function run(page: Page, method?: string): Promise<void> {
  if (method) {
    await page.locator(".method-field .field").click();
    await page.getByRole("option", { name: new RegExp(`^${method}`) }).click();
  }
  const before = await page.getByRole("button", { name: /^Colour/ }).textContent();
  await page.keyboard.press("Control+Enter");
  await expect.poll(() => page.getByRole("button", { name: /^Colour/ }).textContent(), { timeout: PATIENCE }).not.toBe(before);
}

async function textOf(download: Download): Promise<string> {
  return readFileSync(await download.path(), "utf8");
}

test("from a dropped table to exported labels", { timeout: 180_000, retry: 2 }, async () => {
  const page = await studio.open("#/");
  const transfer = await page.evaluateHandle((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "clumps.csv", { type: "text/csv" }));
    return data;
  }, clumps());
  await page
    .getByLabel("Files")
    .setInputFiles({ name: "gaps.csv", mimeType: "text/csv", buffer: Buffer.from("x,y\n1,a\n2,3\n") });
  await page.getByText(/^gaps\.csv.*Column "y" mixes numbers and text/).waitFor({ timeout: PATIENCE });
  await page.locator(".drop").dispatchEvent("drop", { dataTransfer: transfer });
  await page.getByRole("img", { name: "Map of 60 rows" }).waitFor({ timeout: PATIENCE });
  await page.getByRole("button", { name: /^Role of kind/ }).click();
  await page.getByRole("menuitem", { name: /^Truth/ }).click();
  await page.getByRole("button", { name: "Role of kind: truth" }).waitFor({ timeout: PATIENCE });
  await run(page);
  await page.getByText("60 points").waitFor();
  await page.getByRole("button", { name: "Export" }).click();
  const saved = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: /^Labels/ }).click();
  const lines = (await textOf(await saved)).trim().split("\n");
  expect(lines).toHaveLength(61);
  const clusters = lines.slice(1).map((line) => line.split(",")[1]);
  expect(new Set(clusters).size).toBe(3);
  for (let i = 3; i < 60; i++) expect(clusters[i]).toBe(clusters[i % 3]);
  await page.close();
  expect(studio.faults).toEqual([]);
});

test("a wrong token is reported first, above everything that needs the server", { timeout: 120_000, retry: 2 }, async () => {
  const page = await studio.browser.newPage();
  await page.goto(`${studio.origin}/?token=wrong`);
  await page.getByRole("alert").filter({ hasText: "The token is missing or wrong" }).waitFor({ timeout: PATIENCE });
  await page.close();
});

test("a contradiction is made, explained with its chain, and resolved by its button", {
  timeout: 180_000,
  retry: 2,
}, async () => {
  const page = await openSample("penguins");
  const say = async (text: string) => {
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("menuitem", { name: "Type an answer" }).click();
    await page.getByRole("textbox", { name: "Answer" }).fill(text);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Type an answer" }).waitFor({ state: "detached" });
  };
  await say("0 = 14");
  await say("14 = 23");
  await say("0 != 23");
  await page.getByText("These three answers cannot all hold").waitFor({ timeout: PATIENCE });
  await page.getByRole("img", { name: "0 is linked to 14, 14 to 23" }).waitFor();
  await page.getByRole("option", { name: /0 ≠ 23.*contradiction/ }).waitFor();
  await page.getByRole("button", { name: "Show chain" }).click();
  await expect.poll(() => page.locator(".ring-bad").count()).toBe(3);
  await page.getByRole("button", { name: "Drop 0 ≠ 23" }).first().click();
  await page.getByText("These three answers cannot all hold").waitFor({ state: "detached", timeout: PATIENCE });
  await page.getByRole("region", { name: "Answers and constraints" }).getByRole("button", { name: "Undo" }).click();
  await page.getByText("These three answers cannot all hold").waitFor({ timeout: PATIENCE });
  await page.close();
});

test("twenty questions by keys alone; each answer is in the log before the next", { timeout: 300_000, retry: 2 }, async () => {
  const page = await openSample("wine");
  const project = projectOf(page);
  await page.keyboard.press("g");
  await page.keyboard.press("a");
  for (let number = 1; number <= 20; number++) {
    await page.getByText(`Question ${number}`, { exact: true }).waitFor({ timeout: PATIENCE });
    await page.getByRole("heading", { name: "Do these two belong together?" }).waitFor({ timeout: PATIENCE });
    await page.keyboard.press(number % 5 === 0 ? "k" : number % 2 === 0 ? "s" : "d");
    await page.getByRole("img", { name: `${number} of 20 questions answered` }).waitFor({ timeout: PATIENCE });
  }
  await page.getByRole("heading", { name: "20 questions answered" }).waitFor({ timeout: PATIENCE });
  const entries = await page.evaluate(async (id) => {
    const reply = await fetch(`/api/projects/${id}/entries`, {
      headers: { authorization: `Bearer ${sessionStorage.getItem("coterie.token")}` },
    });
    return ((await reply.json()) as unknown[]).length;
  }, project);
  expect(entries).toBe(20);
  await page.reload();
  await page.getByRole("heading", { name: "20 questions answered" }).waitFor({ timeout: PATIENCE });
  await page.close();
});

test("two tabs on one project see each other's answers", { timeout: 180_000, retry: 2 }, async () => {
  const first = await openSample("wine");
  const second = await studio.open(`#/projects/${projectOf(first)}/map`);
  await second.getByText("No answers yet", { exact: true }).waitFor({ timeout: PATIENCE });
  await answerByKeys(first, "d");
  await second.getByRole("option", { name: /≠/ }).waitFor({ timeout: PATIENCE });
  await first.close();
  await second.close();
});

test("a long run is cancelled, and says that nothing is kept", { timeout: 180_000, retry: 2 }, async () => {
  const page = await openSample("wine");
  await page.locator(".method-field .field").click();
  await page.getByRole("option", { name: /^k-means (recommended )?K groups/i }).click();
  await page.getByRole("button", { name: "Edit" }).click();
  // A million restarts take hours, so the run is still in progress when Cancel is pressed.
  await page.getByRole("spinbutton", { name: "Restarts" }).fill("1000000");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("button", { name: "Cancel" }).click({ timeout: PATIENCE });
  await page.getByText("nothing saved").waitFor({ timeout: PATIENCE });
  await page.getByRole("button", { name: "Run again", exact: true }).click();
  await page.getByRole("button", { name: "Cancel" }).click({ timeout: PATIENCE });
  await page.getByText(/^Run 2 cancelled/).waitFor({ timeout: PATIENCE });
  await page.close();
});

test("while the server does not answer, answers wait in the page; then they are kept", {
  timeout: 180_000,
  retry: 2,
}, async () => {
  const context = await studio.browser.newContext();
  const page = await studio.open("#/", context);
  await page.getByRole("button", { name: "wine", exact: true }).click();
  await page.getByRole("img", { name: /^Map of \d+ rows$/ }).waitFor({ timeout: PATIENCE });
  await context.setOffline(true);
  await answerByKeys(page, "d");
  await page.getByText("The server does not respond").waitFor({ timeout: PATIENCE });
  await page.getByText(/1 answer is not saved yet/).waitFor({ timeout: PATIENCE });
  await page.getByRole("button", { name: "Try now" }).click();
  await context.setOffline(false);
  await page.getByText("The server does not respond").waitFor({ state: "detached", timeout: PATIENCE });
  await page.reload();
  await page.getByRole("option", { name: /≠/ }).waitFor({ timeout: PATIENCE });
  await context.close();
});

test("a hundred thousand rows: no task of the page takes 50 ms of the processor, and a worker draws the marks", {
  timeout: 300_000,
  retry: 2,
}, async () => {
  const page = await studio.open("#/");
  const rows = Array.from({ length: 100_000 }, (_, i) => `r${i},${3 * (i % 5) + Math.sin(i)},${4 * (i % 2) + Math.cos(3 * i)}`);
  // A file on disk: one made in the page would be work of the page's.
  const file = join(mkdtempSync(join(tmpdir(), "coterie-large-")), "large.csv");
  writeFileSync(file, ["id,x,y", ...rows].join("\n"));
  // The first look for an element brings a script of the test's own into the page.
  await page.getByLabel("Files").waitFor({ state: "attached" });
  const loading = await tasksDuring(studio.browser, page, async () => {
    await page.getByLabel("Files").setInputFiles(file);
    await page.locator("[data-drawn=hexagons]").waitFor({ timeout: PATIENCE });
    await page.waitForTimeout(long ? 3_000 : 1_000);
  });
  expect(Math.max(...loading)).toBeLessThan(50);
  const moving = await tasksDuring(studio.browser, page, () => zoomAndMove(page));
  expect(Math.max(...moving)).toBeLessThan(50);
  const marks = page.locator("[data-drawn=marks]");
  await marks.waitFor({ timeout: PATIENCE });
  expect(page.workers().some((worker) => worker.url().includes("marks-worker"))).toBe(true);
  await page.mouse.move(5, 5);
  const empty = async () => {
    await marks.evaluate((canvas) => {
      canvas.style.visibility = "hidden";
    });
    const shot = await page.screenshot();
    await marks.evaluate((canvas) => {
      canvas.style.visibility = "";
    });
    return shot;
  };
  const without = await empty();
  await expect.poll(async () => (await page.screenshot()).equals(without), { timeout: PATIENCE }).toBe(false);
  await page.close();
});

test("axe finds nothing serious; in the long run on any view, in light and dark", { timeout: 300_000, retry: 2 }, async () => {
  const page = await openSample("penguins");
  const project = projectOf(page);
  // So low that every part of the page has to be scrolled.
  await page.setViewportSize({ width: 1440, height: 560 });
  await run(page, "k-means( recommended)? K groups");
  await run(page, "MPCK-means");
  for (const scheme of SCHEMES) {
    await page.emulateMedia({ colorScheme: scheme });
    const views = long ? ["map", "ask", "compare", "understand"] : ["ask", "understand"];
    for (const address of ["#/", ...views.map((view) => `#/projects/${project}/${view}`)]) {
      await page.evaluate((hash) => {
        location.hash = hash;
      }, address);
      await page.getByRole("main").first().waitFor({ timeout: PATIENCE });
      await page.waitForTimeout(800);
      expect(await axe(page), `${scheme} ${address}`).toEqual([]);
    }
  }
  await page.close();
});

async function axe(page: Page): Promise<readonly string[]> {
  await page.evaluate(axeSource);
  return await page.evaluate(async () => {
    const { axe: checker } = window as unknown as {
      axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await checker.run();
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html }) => `${id}: ${html.slice(0, 160)}`));
  });
}

test("a whole session by keyboard alone: open, answer, run, be asked, name a cluster, take labels away", {
  timeout: 240_000,
  retry: 2,
}, async () => {
  const page = await studio.open("#/");
  await page.getByRole("button", { name: "wine", exact: true }).waitFor({ timeout: PATIENCE });
  await tabTo(page, () => page.getByRole("button", { name: "wine", exact: true }));
  await page.keyboard.press("Enter");
  await page.getByRole("img", { name: "Map of 178 rows" }).waitFor({ timeout: PATIENCE });
  await tabTo(page, () => page.getByRole("application"));
  for (const key of ["Space", "ArrowDown", "Space"]) await page.keyboard.press(key);
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("s");
  await page.getByRole("option", { name: /=/ }).waitFor({ timeout: PATIENCE });
  await page.keyboard.press("Control+Enter");
  await page.getByRole("button", { name: /^Colour Run 1/ }).waitFor({ timeout: PATIENCE });
  for (const key of ["g", "a"]) await page.keyboard.press(key);
  await page.getByRole("heading", { name: "Do these two belong together?" }).waitFor({ timeout: PATIENCE });
  await page.keyboard.press("d");
  await page.getByRole("heading", { name: /^Your last answer/ }).waitFor({ timeout: PATIENCE });
  for (const key of ["g", "u"]) await page.keyboard.press(key);
  await page.getByRole("heading", { name: "Export" }).waitFor({ timeout: PATIENCE });
  await tabTo(page, () => page.getByRole("button", { name: /^A / }));
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Name" }).waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Name");
  await page.keyboard.type("Barolo");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: /^A Barolo/ }).waitFor({ timeout: PATIENCE });
  await page.keyboard.press("Control+k");
  await page.keyboard.type("Go to Map");
  await page.keyboard.press("Enter");
  await page.getByRole("application").waitFor({ timeout: PATIENCE });
  await tabTo(page, () => page.getByRole("button", { name: "Export" }));
  await page.keyboard.press("Enter");
  const saved = page.waitForEvent("download");
  await page.keyboard.press("Enter");
  const text = await textOf(await saved);
  expect(text.trim().split("\n")).toHaveLength(179);
  expect(text).toContain("Barolo");
  await page.close();
});

/** Tab until an element has the keys. */
async function tabTo(page: Page, element: () => Locator): Promise<void> {
  for (let presses = 0; presses < 120; presses++) {
    if (await element().evaluate((node) => node === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error("Tab never came to it.");
}

test("nothing went wrong on any page", () => {
  expect(studio.faults).toEqual([]);
});

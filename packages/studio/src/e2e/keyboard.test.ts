/** Every control of every page by keys alone: nothing goes into the log of answers that was not meant. */
import { QUESTION_KEYS } from "@coterie/workbench/protocol";
import type { Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningStudio, startStudio } from "./server.js";

const PATIENCE = 60_000;

let studio: RunningStudio;
let page: Page;
let project: string;

beforeAll(async () => {
  studio = await startStudio();
  page = await studio.open("#/");
  await page.getByRole("button", { name: "wine", exact: true }).click();
  await page.getByRole("img", { name: /^Map of \d+ rows$/ }).waitFor({ timeout: PATIENCE });
  project = page.url().match(/projects\/([^/]+)/)![1]!;
  for (const number of [1, 2]) {
    await page.keyboard.press("Control+Enter");
    await page.getByRole("button", { name: new RegExp(`^Colour Run ${number}`) }).waitFor({ timeout: PATIENCE });
  }
}, 180_000);

afterAll(() => studio?.stop());

/** What is in the log: "add must-link", "undo". */
async function log(): Promise<readonly string[]> {
  return await page.evaluate(async (id) => {
    const reply = await fetch(`/api/projects/${id}/entries`, {
      headers: { authorization: `Bearer ${sessionStorage.getItem("coterie.token")}` },
    });
    const entries = (await reply.json()) as { change: { type: string; constraint?: { type: string } } }[];
    return entries.map(({ change }) => [change.type, change.constraint?.type ?? ""].join(" ").trim());
  }, project);
}

interface Stop {
  /** The page's address, and what brings it into the state that is walked. */
  readonly name: string;
  readonly address: string;
  readonly ready: () => Promise<unknown>;
}

const map = () => page.getByRole("img", { name: /^Map of \d+ rows$/ }).waitFor({ timeout: PATIENCE });
const question = () => page.getByRole("heading", { name: "Are these two in the same group?" }).waitFor({ timeout: PATIENCE });

const STOPS: readonly Stop[] = [
  {
    name: "start",
    address: "#/",
    ready: async () => {
      for (const name of ["wine", "penguins"])
        await page.getByRole("button", { name, exact: true }).waitFor({ timeout: PATIENCE });
    },
  },
  { name: "map", address: "map", ready: map },
  {
    name: "map with two rows picked",
    address: "map",
    ready: async () => {
      await map();
      for (const row of ["50", "60"]) {
        await page.keyboard.press("Control+k");
        await page.keyboard.type(row);
        await page.getByRole("option", { name: `Row ${row} ` }).waitFor({ timeout: PATIENCE });
        await page.keyboard.press("Enter");
      }
      await page.getByRole("dialog", { name: /^Rows/ }).waitFor();
    },
  },
  { name: "ask", address: "ask", ready: question },
  {
    name: "compare",
    address: "compare?before=1&after=2",
    ready: () => page.getByRole("heading", { name: "Where rows went" }).waitFor({ timeout: PATIENCE }),
  },
  {
    name: "understand",
    address: "understand?run=2",
    ready: () => page.getByRole("heading", { name: "Take it with you" }).waitFor({ timeout: PATIENCE }),
  },
];

const hashOf = ({ address }: Stop) => (address.startsWith("#") ? address : `#/projects/${project}/${address}`);

/** The page as it is first seen: whatever was open, picked or typed before is gone. */
async function enter(stop: Stop): Promise<void> {
  const hash = hashOf(stop);
  await page.evaluate(
    (other) => {
      location.hash = other;
    },
    hash === "#/" ? `#/projects/${project}/map` : "#/",
  );
  await page.getByRole("main").first().waitFor({ timeout: PATIENCE });
  await page.evaluate((address) => {
    location.hash = address;
  }, hash);
  await stop.ready();
  // Tab goes on from here, whatever the page gave the focus to.
  await page.locator(".brand").focus();
}

/** The control that has the focus, in words; empty where none has. */
async function focused(): Promise<string> {
  return await page.evaluate(() => {
    const element = document.activeElement as HTMLElement | null;
    if (!element || element === document.body) return "";
    const words = element.getAttribute("aria-label") ?? element.getAttribute("placeholder") ?? element.textContent ?? "";
    return `${element.getAttribute("role") ?? element.tagName.toLowerCase()} ${words.trim().slice(0, 60)}`;
  });
}

/** What the controls that are answers put into the log. */
const { same, different, unsure } = QUESTION_KEYS;
const MEANT: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`^button ${same.word} ?${same.key}`, "i"), "add must-link"],
  [new RegExp(`^button ${different.word} ?${different.key}`, "i"), "add cannot-link"],
  [new RegExp(`^button don.t know ?${unsure.key}`, "i"), "add unsure"],
  [/^button Drop/, "drop"],
];

/** Tab to each control in turn; Enter goes down there, stays down for a while, and goes up. */
async function walk(stop: Stop): Promise<number> {
  let controls = 0;
  await enter(stop);
  for (let tabs = 1; tabs <= 90; tabs++) {
    await page.keyboard.press("Tab");
    const control = await focused();
    if (control === "") break;
    controls++;
    const before = await log();
    for (let repeat = 0; repeat < 4; repeat++) await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    const meant = MEANT.find(([name]) => name.test(control))?.[1];
    if (meant === undefined) expect(await log(), `${stop.name}: Enter on ${control}`).toEqual(before);
    else {
      await expect.poll(log, { timeout: PATIENCE, message: `${stop.name}: ${control}` }).toEqual([...before, meant]);
      await page.keyboard.press("Control+z");
      await expect.poll(log, { timeout: PATIENCE }).toEqual([...before, meant, "undo"]);
    }
    if (await page.locator("[aria-modal=true], .menu.floating").count()) await page.keyboard.press("Escape");
    if (meant === undefined && (await focused()) === control && page.url().endsWith(hashOf(stop))) continue;
    await enter(stop);
    for (let i = 0; i < tabs; i++) await page.keyboard.press("Tab");
  }
  return controls;
}

for (const [i, name] of STOPS.map((stop) => stop.name).entries())
  test(`every control of ${name}, by Tab and a held Enter`, { timeout: 600_000, retry: 1 }, async () => {
    expect(await walk(STOPS[i]!)).toBeGreaterThan(8);
  });

test("letters, digits and signs: only a question and two picked rows take answers, each key once", {
  timeout: 300_000,
  retry: 1,
}, async () => {
  const answers = [same.key, different.key, unsure.key] as readonly string[];
  for (const stop of STOPS) {
    const takes = stop.name === "ask" || stop.name === "map with two rows picked";
    await enter(stop);
    const before = await log();
    for (const key of [..."vlehfotx?123abc=-[]qsdk"].filter((each) => !takes || !answers.includes(each))) {
      await page.keyboard.press(key);
      expect(await log(), `${stop.name}: ${key}`).toEqual(before);
      await page.keyboard.press("Escape");
    }
  }
});

test("nothing went wrong on any page", () => expect(studio.faults).toEqual([]));

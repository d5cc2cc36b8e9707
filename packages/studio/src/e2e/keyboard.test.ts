/** Every control of every page by keys alone: nothing goes into the log of answers that was not meant. */
import { QUESTION_KEYS } from "@coterie/workbench/protocol";
import type { Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningStudio, startStudio } from "./server.js";

const PATIENCE = 60_000;

let studio: RunningStudio;
let page: Page;
let project: string;
/** The controls of the start page that open a project. */
let samples: readonly string[];

beforeAll(async () => {
  studio = await startStudio();
  page = await studio.open("#/");
  await page.getByRole("button", { name: "wine", exact: true }).click();
  await page.getByRole("img", { name: /^Map of \d+ rows$/ }).waitFor({ timeout: PATIENCE });
  project = page.url().match(/projects\/([^/]+)/)![1]!;
  // Two clusters, for each brings ten buttons of rows.
  const run = { algorithm: "kmeans", options: { k: 2 }, seed: 0 };
  for (const number of [1, 2]) {
    await studio.call(`/projects/${project}/runs`, run);
    await page.getByRole("button", { name: new RegExp(`^Colour Run ${number}`) }).waitFor({ timeout: PATIENCE });
  }
  const info = (await studio.call("/info")) as { samples: { name: string }[] };
  samples = info.samples.map(({ name }) => `button ${name}`);
  page.on("request", (request) => request.method() !== "GET" && writing.add(request));
  page.on("requestfinished", (request) => writing.delete(request));
  page.on("requestfailed", (request) => writing.delete(request));
  // Whatever the start page opens is this project, whose log is read. It is also smaller than most samples.
  const opened = { status: 201, json: await studio.call(`/projects/${project}`) };
  await page.route("**/api/projects", async (route) => {
    if (route.request().method() !== "POST") return await route.continue();
    await route.fulfill(opened);
  });
}, 180_000);

afterAll(() => studio?.stop());

/** What is in the log: "add must-link", "undo". Asked of the server itself, so that it does not wait for the page to draw. */
async function log(): Promise<readonly string[]> {
  const entries = (await studio.call(`/projects/${project}/entries`)) as {
    change: { type: string; constraint?: { type: string } };
  }[];
  return entries.map(({ change }) => [change.type, change.constraint?.type ?? ""].join(" ").trim());
}

/** Requests that may write something and are on their way. */
const writing = new Set<unknown>();

/** Until all that was to be written is written. */
async function sent(): Promise<void> {
  if (writing.size > 0) await expect.poll(() => writing.size, { timeout: PATIENCE, interval: 5 }).toBe(0);
}

/** Long enough for the page to act on what just happened. */
async function nextFrame(): Promise<void> {
  await page.evaluate(() => new Promise((wake) => requestAnimationFrame(wake)));
}

interface Stop {
  /** The page's address, and what brings it into the state that is walked. */
  readonly name: string;
  readonly address: string;
  readonly ready: () => Promise<unknown>;
  /** How many controls it has at least: a walk that loses the focus ends early. */
  readonly least: number;
}

const map = () => page.getByRole("img", { name: /^Map of \d+ rows$/ }).waitFor({ timeout: PATIENCE });
const question = () => page.getByRole("heading", { name: "Do these two belong together?" }).waitFor({ timeout: PATIENCE });

const STOPS: readonly Stop[] = [
  {
    name: "start",
    address: "#/",
    least: 12,
    ready: async () => {
      for (const name of ["wine", "penguins"])
        await page.getByRole("button", { name, exact: true }).waitFor({ timeout: PATIENCE });
    },
  },
  { name: "map", address: "map", least: 50, ready: map },
  {
    name: "map with two rows picked",
    address: "map",
    least: 55,
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
  { name: "ask", address: "ask", least: 15, ready: question },
  {
    name: "compare",
    address: "compare?before=1&after=2",
    least: 14,
    ready: () => page.getByRole("heading", { name: "Flows" }).waitFor({ timeout: PATIENCE }),
  },
  {
    name: "understand",
    address: "understand?run=2",
    least: 30,
    ready: () => page.getByRole("heading", { name: "Export" }).waitFor({ timeout: PATIENCE }),
  },
];

const hashOf = ({ address }: Stop) => (address.startsWith("#") ? address : `#/projects/${project}/${address}`);

const CONTROLS = "a[href], button, input, select, textarea, summary, [tabindex]";

/** Until nothing is under way, and for three frames no control came or went: regions that scroll take part as soon as they are measured. */
async function settled(): Promise<void> {
  await page.evaluate(async (all) => {
    const until = performance.now() + 10_000;
    for (let [still, before] = [0, -1]; still < 3 && performance.now() < until; ) {
      await new Promise((wake) => requestAnimationFrame(wake));
      const now = document.querySelectorAll(all).length;
      still = now === before && document.querySelector("[aria-busy=true]") === null ? still + 1 : 0;
      before = now;
    }
  }, CONTROLS);
}

async function goTo(hash: string): Promise<void> {
  await page.evaluate((address) => {
    location.hash = address;
  }, hash);
}

/** The page as it is first seen: whatever was open, picked or typed before is gone. */
async function enter(stop: Stop): Promise<void> {
  const hash = hashOf(stop);
  await goTo(hash === "#/" ? `#/projects/${project}/map` : "#/");
  await page.getByRole("main").first().waitFor({ timeout: PATIENCE });
  await comeTo(stop);
}

async function comeTo(stop: Stop): Promise<void> {
  await goTo(hashOf(stop));
  await stop.ready();
  await settled();
  // Tab goes on from here, whatever the page gave the focus to.
  await page.locator(".brand").focus();
}

interface Focus {
  /** The control that has the focus, in words; empty where none has it. */
  readonly control: string;
  /** Its place among all controls of the page. */
  readonly place: number;
  readonly controls: number;
  readonly hash: string;
  /** Whether a window or a menu is open. */
  readonly open: boolean;
}

/** As it is after the page has acted on what just happened. */
async function look(): Promise<Focus> {
  return await page.evaluate(async (all) => {
    await new Promise((wake) => requestAnimationFrame(wake));
    const element = document.activeElement as HTMLElement | null;
    const found = [...document.querySelectorAll(all)];
    const words = (each: HTMLElement) =>
      each.getAttribute("aria-label") ?? each.getAttribute("placeholder") ?? each.textContent ?? "";
    return {
      control:
        !element || element === document.body
          ? ""
          : `${element.getAttribute("role") ?? element.tagName.toLowerCase()} ${words(element).trim().slice(0, 60)}`,
      place: element ? found.indexOf(element) : -1,
      controls: found.length,
      hash: location.hash,
      open: document.querySelector("[aria-modal=true], .menu.floating") !== null,
    };
  }, CONTROLS);
}

/** The page again, with the focus on the control that had it. Where it is gone, the focus is on the control before it. */
async function enterAt(stop: Stop, { control, place }: Focus, tabs: number, left: boolean): Promise<void> {
  // What is picked stays while other pages of the project are looked at; only the map shows it.
  if (left && stop.address !== "map") await comeTo(stop);
  else await enter(stop);
  const focusAt = async (at: number) =>
    await page.evaluate(([all, index]) => (document.querySelectorAll(all)[index] as HTMLElement | undefined)?.focus(), [
      CONTROLS,
      at,
    ] as const);
  await focusAt(place);
  if ((await look()).control === control) return;
  await page.locator(".brand").focus();
  for (let i = 1; i < tabs; i++) await page.keyboard.press("Tab");
}

/** What the controls that are answers put into the log. */
const { same, different, unsure } = QUESTION_KEYS;
const MEANT: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`^button ${same.word} ?${same.key}`, "i"), "add must-link"],
  [new RegExp(`^button ${different.word} ?${different.key}`, "i"), "add cannot-link"],
  [new RegExp(`^button don.t know ?${unsure.key}`, "i"), "add unsure"],
  [/^button Drop/, "drop"],
];

/** What must be in the log; it grows by what was meant. An entry that comes late is found at the next look. */
let expected: readonly string[] = [];

async function expectLog(message: string): Promise<void> {
  expect(await log(), message).toEqual(expected);
}

/** A key goes down on a control, stays down while the page acts on it, and goes up. */
async function hold(key: string, stop: Stop, control: string): Promise<void> {
  await page.keyboard.down(key);
  await nextFrame();
  for (let repeat = 0; repeat < 2; repeat++) await page.keyboard.down(key);
  await page.keyboard.up(key);
  await sent();
  if (samples.includes(control)) await page.waitForFunction(() => location.hash !== "#/", null, { timeout: PATIENCE });
  const message = `${stop.name}: ${key} on ${control}`;
  const meant = MEANT.find(([name]) => name.test(control))?.[1];
  if (meant === undefined) return await expectLog(message);
  expected = [...expected, meant];
  await expect.poll(log, { timeout: PATIENCE, message }).toEqual(expected);
  await page.keyboard.press("Control+z");
  expected = [...expected, "undo"];
  await expect.poll(log, { timeout: PATIENCE, message }).toEqual(expected);
}

/** Tab to each control in turn, and hold Enter and Space there. What a control opens in the page stays open, and is walked too. */
async function walk(stop: Stop): Promise<number> {
  let controls = 0;
  await enter(stop);
  for (let tabs = 0; tabs < 120; tabs++) {
    if (tabs > 0) await page.keyboard.press("Tab");
    const at = await look();
    if (at.control === "" || (tabs > 0 && at.place === 0)) break;
    controls++;
    let now = at;
    const press = async (key: string): Promise<number> => {
      await hold(key, stop, now.control);
      now = await look();
      if (now.open) {
        await page.keyboard.press("Escape");
        now = await look();
      }
      if (now.control !== at.control || now.hash !== hashOf(stop)) {
        await enterAt(stop, at, tabs, now.hash !== hashOf(stop));
        now = await look();
      }
      return now.controls;
    };
    const first = await press("Enter");
    const second = await press("Space");
    if (first > at.controls && second < first) await press("Enter");
  }
  await settled();
  await expectLog(`${stop.name}, after all`);
  return controls;
}

for (const [i, { name, least }] of STOPS.entries())
  test(`every control of ${name}, by Tab and a held Enter or Space`, { timeout: 600_000, retry: 1 }, async () => {
    expected = await log();
    const controls = await walk(STOPS[i]!);
    expect(controls).toBeGreaterThanOrEqual(least);
  });

test("letters, digits and signs: only a question and two picked rows take answers, each key once", {
  timeout: 300_000,
  retry: 1,
}, async () => {
  const answers = [same.key, different.key, unsure.key] as readonly string[];
  for (const stop of STOPS) {
    const takes = stop.name === "ask" || stop.name === "map with two rows picked";
    await enter(stop);
    expected = await log();
    for (const key of [..."vlehfotx?123abc=-[]qsdk"].filter((each) => !takes || !answers.includes(each))) {
      await page.keyboard.press(key);
      await expectLog(`${stop.name}: ${key}`);
      await page.keyboard.press("Escape");
    }
  }
});

test("nothing went wrong on any page", () => expect(studio.faults).toEqual([]));

/**
 * `node bench/studio-paint.mjs [LOADS]`: the time until a page of the studio shows something useful, on loopback, with an empty browser
 * cache: title and samples on the start page, the drawn map in a project. In wall time, which other programs lengthen, and in processor
 * time of the page's main thread.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright";
import { ensureChromium } from "../tools/chromium.mjs";
import { tasksDuring } from "../tools/main-thread.mjs";

const loads = Number(process.argv[2] ?? 7);
const BIN = fileURLToPath(new URL("../packages/cli/bin/coterie.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "coterie-paint-"));
const args = [BIN, "studio", "penguins", "--no-open", "--port", "0", "--folder", folder];
const studio = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });

/** @type {Promise<string>} */
const address = new Promise((found) => {
  let text = "";
  studio.stdout.on("data", (data) => {
    text += data;
    if (text.includes("\n")) found(text.trim().replace("Coterie studio: ", ""));
  });
});

/** Runs in the page: records the time of the first frame with the element, by the clock of the page. */
const WATCH = `addEventListener("DOMContentLoaded", () => {
  const look = () => document.querySelector(SELECTOR) ? requestAnimationFrame(() => setTimeout(() => { globalThis.useful = performance.now(); })) : requestAnimationFrame(look);
  look();
});`;

/** @param {string} url @param {string} selector */
async function timesOf(url, selector) {
  const times = [];
  for (let load = 0; load <= loads; load++) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    await page.addInitScript(WATCH.replace("SELECTOR", JSON.stringify(selector)));
    const tasks = await tasksDuring(browser, page, async () => {
      await page.goto(url);
      await page.locator(selector).first().waitFor({ timeout: 60_000 });
      await page.waitForTimeout(300);
    });
    // The first load does not count, because the server starts then.
    if (load > 0)
      times.push({
        clock: Math.round(await page.evaluate("globalThis.useful")),
        processor: tasks.reduce((sum, task) => sum + task, 0),
      });
    await context.close();
  }
  return times;
}

/** @param {number[]} times */
function summary(times) {
  const sorted = [...times].sort((a, b) => a - b);
  return `median ${sorted[sorted.length >> 1]} ms, ${sorted[0]} to ${sorted.at(-1)} ms`;
}

const browser = await chromium.launch({ executablePath: ensureChromium(), args: ["--no-sandbox", "--disable-gpu"] });
try {
  const map = await address;
  const start = map.replace(/([?&])project=[^&]*&?/, "$1").replace(/[?&]$/, "");
  for (const [what, url, selector] of [
    ["start page", `${start}#/`, ".samples tbody tr"],
    ["map of penguins", map, "[data-drawn]"],
  ]) {
    const times = await timesOf(url, selector);
    console.log(`${what}, ${times.length} loads: ${summary(times.map(({ clock }) => clock))} by the clock;`);
    console.log(`  ${summary(times.map(({ processor }) => processor))} of processor time in the page's main thread`);
  }
} finally {
  await browser.close();
  studio.kill("SIGINT");
  await new Promise((ended) => studio.on("exit", ended));
  rmSync(folder, { recursive: true, force: true });
}

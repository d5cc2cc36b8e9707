/**
 * `node bench/studio-large.mjs [ROWS]`: tasks of more than 50 ms in the page's main thread while a large table is loaded, zoomed and moved.
 * In wall time, which other programs lengthen, and in processor time, which they do not.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { randomFrom } from "@coterie/core/internal";
import { chromium } from "playwright";
import { ensureChromium } from "../tools/chromium.mjs";
import { tasksDuring, zoomAndMove } from "../tools/main-thread.mjs";

const rows = Number(process.argv[2] ?? 100_000);
const folder = mkdtempSync(join(tmpdir(), "coterie-large-"));
const BIN = fileURLToPath(new URL("../packages/cli/bin/coterie.js", import.meta.url));

function table() {
  const random = randomFrom(1);
  const line = (/** @type {number} */ i) =>
    [`r${i}`, 3 * (i % 5) + random.normal(), 4 * (i % 2) + random.normal(), random.int(1000)].join(",");
  return `id,x,y,z\n${Array.from({ length: rows }, (_, i) => line(i)).join("\n")}\n`;
}

/** @param {number[]} tasks @param {string} how */
function summary(tasks, how) {
  const long = tasks.filter((ms) => ms > 50);
  return `${long.length} tasks over 50 ms ${how}, the longest ${Math.max(0, ...tasks)} ms${long.length > 0 ? ` (${long.join(" ")})` : ""}`;
}

/** The address that a studio prints. @param {import("node:child_process").ChildProcess} child @returns {Promise<string>} */
function addressOf(child) {
  let text = "";
  return new Promise((found) =>
    child.stdout?.on("data", (data) => {
      text += data;
      if (text.includes("\n")) found(text.trim().replace("Coterie studio: ", ""));
    }),
  );
}

writeFileSync(join(folder, "large.csv"), table());
const args = [
  BIN,
  "studio",
  join(folder, "large.csv"),
  "--id",
  "id",
  "--no-open",
  "--port",
  "0",
  "--folder",
  join(folder, "projects"),
];
const studio = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
const browser = await chromium.launch({ executablePath: ensureChromium(), args: ["--no-sandbox", "--disable-gpu"] });
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript(
    "globalThis.long = []; new PerformanceObserver((list) => long.push(...list.getEntries().map(({ duration }) => Math.round(duration)))).observe({ type: 'longtask', buffered: true });",
  );
  const address = await addressOf(studio);
  const measure = async (/** @type {string} */ what, /** @type {() => Promise<void>} */ act) => {
    const used = await tasksDuring(browser, page, act);
    const clock = /** @type {number[]} */ (await page.evaluate("long.splice(0)"));
    console.log(`${what}: ${summary(clock, "by the clock")}; ${summary(used, "of processor time")}`);
  };
  await measure(`loading ${rows} rows`, async () => {
    await page.goto(address);
    await page.locator("[data-drawn]").waitFor({ timeout: 60_000 });
    await page.waitForTimeout(3_000);
  });
  await measure("zooming and moving", () => zoomAndMove(page));
} finally {
  await browser.close();
  studio.kill("SIGINT");
  await new Promise((ended) => studio.on("exit", ended));
  rmSync(folder, { recursive: true, force: true });
}

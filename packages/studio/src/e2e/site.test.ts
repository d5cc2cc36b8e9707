/** The studio without a server: built as a static site, served as files, kept by the browser. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { type Browser, chromium } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findChromium } from "../../../../tools/chromium.mjs";
import { answerByKeys } from "./server.js";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const PATIENCE = 60_000;
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

let folder: string;
let server: Server;
let origin: string;
let browser: Browser;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "coterie-site-"));
  const vite = join(root, "node_modules/vite/bin/vite.js");
  execFileSync(
    process.execPath,
    [vite, "build", "packages/studio", "--mode", "site", "--outDir", folder, "--logLevel", "error"],
    { cwd: root, env: { ...process.env, NODE_ENV: "production" } },
  );
  server = createServer((request, reply) => {
    const path = normalize(decodeURIComponent(new URL(request.url!, "http://site").pathname));
    try {
      const bytes = readFileSync(join(folder, path === "/" ? "index.html" : path));
      reply.writeHead(200, { "content-type": TYPES[extname(path)] ?? "text/html" }).end(bytes);
    } catch {
      reply.writeHead(404).end();
    }
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const executablePath = findChromium();
  browser = await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  });
}, 240_000);

afterAll(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("the first load stays under 400 kB, compressed", () => {
  const first = readdirSync(join(folder, "assets")).filter((name) => /^(site|worker)-.*\.(js|css)$/.test(name));
  expect(first.length).toBeGreaterThanOrEqual(3);
  const size = ["index.html", ...first.map((name) => join("assets", name))].reduce(
    (sum, name) => sum + brotliCompressSync(readFileSync(join(folder, name))).length,
    0,
  );
  expect(size).toBeLessThan(400_000);
  expect(statSync(join(folder, "index.html")).size).toBeLessThan(2_000);
});

test("a sample, an answer and a run; another tab sees them, and so does a new page after all are closed", {
  timeout: 240_000,
  retry: 2,
}, async () => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const faults: string[] = [];
  context.on("weberror", (error) => faults.push(error.error().message));
  const first = await context.newPage();
  await first.goto(`${origin}/`);
  await first.getByRole("button", { name: "iris-fisher", exact: true }).click({ timeout: PATIENCE });
  await first.getByRole("img", { name: "Map of 150 rows" }).waitFor({ timeout: PATIENCE });
  const second = await context.newPage();
  await second.goto(first.url());
  await second.getByText("No answers yet", { exact: true }).waitFor({ timeout: PATIENCE });
  await first.bringToFront();
  await answerByKeys(first, "s");
  await second.getByRole("option", { name: /=/ }).waitFor({ timeout: PATIENCE });
  // The tab that answered for both goes; the other one takes over.
  const address = first.url();
  await first.close();
  await second.bringToFront();
  await second.getByRole("button", { name: /^Run / }).click();
  await second.getByRole("button", { name: /^Colour Run 1/ }).waitFor({ timeout: PATIENCE });
  await second.close();
  const third = await context.newPage();
  await third.goto(address);
  await third.getByRole("option", { name: /=/ }).waitFor({ timeout: PATIENCE });
  await third.getByRole("button", { name: /^Colour Run 1/ }).waitFor({ timeout: PATIENCE });
  await third.getByText("Saved in this browser").waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

test("it opens without a network once it was open with one", { timeout: 180_000, retry: 2 }, async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${origin}/`);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.getByRole("button", { name: "penguins", exact: true }).waitFor({ timeout: PATIENCE });
  await context.setOffline(true);
  await page.reload();
  await page.getByRole("button", { name: "penguins", exact: true }).waitFor({ timeout: PATIENCE });
  await context.close();
});

/** A studio of its own for a test: the command as people start it, and a Chromium that looks at it. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright";
import { findChromium } from "../../../../tools/chromium.mjs";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const TOKEN = "test-token";

export interface RunningStudio {
  readonly origin: string;
  readonly browser: Browser;
  /** A page on an address after the #, and everything that went wrong on it. */
  open(address: string, context?: BrowserContext): Promise<Page>;
  readonly faults: string[];
  /** What the server replies to GET, or to POST with a body; the path is the part after /api. */
  call(path: string, body?: object): Promise<unknown>;
  stop(): Promise<void>;
}

export async function startStudio(): Promise<RunningStudio> {
  const folder = mkdtempSync(join(tmpdir(), "coterie-studio-"));
  const args = [
    join(root, "packages/cli/bin/coterie.js"),
    "studio",
    "--no-open",
    "--port",
    "0",
    "--token",
    TOKEN,
    "--folder",
    folder,
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const origin = await addressOf(child);
  const executablePath = findChromium();
  const browser = await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-compositing"],
  });
  const faults: string[] = [];
  return {
    origin,
    browser,
    faults,
    open: async (address, context) => {
      const page = await (context ?? browser).newPage();
      await page.setViewportSize({ width: 1440, height: 900 });
      page.on("pageerror", (error) => faults.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error" && !/Failed to load resource/.test(message.text())) faults.push(message.text());
      });
      await page.goto(`${origin}/?token=${TOKEN}${address}`);
      return page;
    },
    call: async (path, body) => {
      const reply = await fetch(`${origin}/api${path}`, {
        headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
        ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
      });
      if (!reply.ok) throw new Error(`${path}: ${reply.status}`);
      return await reply.json();
    },
    stop: async () => {
      await browser.close();
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGINT");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((found, failed) => {
    let text = "";
    child.stdout!.on("data", (data) => {
      text += String(data);
      const match = text.match(/Coterie studio: (http:\/\/\S+)/);
      if (match) found(new URL(match[1]!).origin);
    });
    child.stderr!.on("data", (data) => {
      text += String(data);
    });
    child.once("exit", () => failed(new Error(`The studio did not start: ${text}`)));
  });
}

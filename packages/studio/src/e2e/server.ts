/** Starts a studio for a test: the command in a separate process, and Chromium pages that open it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright";
import { findChromium } from "../../../../tools/chromium.mjs";
import { serveStudio } from "../../../../tools/studio-server.mjs";

const TOKEN = "test-token";

export interface RunningStudio {
  readonly origin: string;
  readonly browser: Browser;
  /** Opens a page at this address (the part after #). Errors of the page are added to `faults`. */
  open(address: string, context?: BrowserContext): Promise<Page>;
  readonly faults: string[];
  /** Sends a GET request, or a POST request if there is a body, and returns the reply. `path` is the part after /api. */
  call(path: string, body?: object): Promise<unknown>;
  stop(): Promise<void>;
}

export async function startStudio(): Promise<RunningStudio> {
  const folder = mkdtempSync(join(tmpdir(), "coterie-studio-"));
  const { origin, stop } = await serveStudio(folder, TOKEN);
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
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Picks two rows on the map by keys. This opens the bubble with the possible answers; then presses the key of an answer. */
export async function answerByKeys(page: Page, answer: string): Promise<void> {
  await page.getByRole("application").focus();
  for (const key of ["Space", "ArrowRight", "Space"]) await page.keyboard.press(key);
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press(answer);
}

/**
 * Pictures of every view of the studio, light and dark, 1440 and 768 pixels wide, over a real server with a project that has
 * answers, a contradiction and runs: `node tools/studio-screens.mjs [FOLDER]` (docs/images/studio by default).
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright";
import { findChromium } from "./chromium.mjs";
import { serveStudio } from "./studio-server.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = resolve(process.argv[2] ?? join(root, "docs/images/studio"));
const token = "studio-screens";

function caller(address) {
  return async (method, path, body) => {
    const reply = await fetch(`${address}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const value = await reply.json();
    if (!reply.ok) throw new Error(`${method} ${path}: ${value.error?.message}`);
    return value;
  };
}

let entries = 0;
const entry = (constraint, from = { kind: "drawn" }) => ({
  id: `screens-${String(++entries).padStart(4, "0")}`,
  by: "me",
  from,
  change: { type: "add", constraint },
});

const MEASURES = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"];

async function fill(call) {
  const { id } = await call("POST", "/projects", { sample: "penguins" });
  await call("PATCH", `/projects/${id}`, { k: 3, reading: { features: MEASURES } });
  const { rows } = await call("GET", `/projects/${id}`);
  const found = await call("GET", `/projects/${id}/rows?rows=${Array.from({ length: rows }, (_, row) => row).join(",")}`);
  const classOf = (row) => row.cells.at(-1);
  const picked = found.filter((_, i) => i % 9 === 0);
  const pairs = picked
    .slice(1)
    .map((row, i) => [picked[(7 * i) % picked.length], row])
    .filter(([a, b]) => a !== b);
  const facts = pairs.map(([a, b], i) =>
    entry(
      { type: classOf(a) === classOf(b) ? "must-link" : "cannot-link", a: a.id, b: b.id },
      i % 3 ? { kind: "drawn" } : { kind: "file", file: "known.csv", line: i + 2 },
    ),
  );
  const labels = ["Adelie", "Chinstrap", "Gentoo"].map((name) =>
    entry({ type: "label", a: found.find((row) => classOf(row) === name).id, class: name }),
  );
  const odd = entry({ type: "relative", a: picked[0].id, b: picked[1].id, c: picked.at(-1).id });
  await call("POST", `/projects/${id}/entries`, { entries: [...facts, ...labels, odd] });
  for (const algorithm of ["kmeans", "mpck-means", "ccl"]) {
    const { number } = await call("POST", `/projects/${id}/runs`, { algorithm, options: { k: 3 }, seed: 0 });
    await untilDone(call, id, number);
  }
  const [a, b, c] = found.filter((row, i) => i % 9 === 4 && classOf(row) === classOf(picked[0]));
  await call("POST", `/projects/${id}/entries`, {
    entries: [
      entry({ type: "must-link", a: a.id, b: b.id }),
      entry({ type: "must-link", a: b.id, b: c.id }),
      entry({ type: "cannot-link", a: a.id, b: c.id }),
    ],
  });
  for (let turn = 0; turn < 8; turn++) {
    const { question } = await call("POST", `/projects/${id}/ask`, { by: "me" });
    if (!question) break;
    const [one, other] = question.ids.map((asked) => found.find((row) => row.id === asked));
    await call("POST", `/projects/${id}/answers`, {
      question: question.question,
      answer: turn === 2 ? "unsure" : classOf(one) === classOf(other) ? "same" : "different",
      by: "me",
      id: `screens-answer-${++entries}`,
    });
  }
  return id;
}

async function untilDone(call, id, number) {
  for (;;) {
    const { run } = await call("GET", `/projects/${id}/runs/${number}`);
    if (run.state === "done") return;
    if (run.state === "failed" || run.state === "cancelled") throw new Error(`Run ${number}: ${run.problem}`);
    await new Promise((wake) => setTimeout(wake, 200));
  }
}

const VIEWS = [
  ["start", "#/", null],
  ["workspace", "#/projects/ID/map", pickTwo],
  ["ask", "#/projects/ID/ask", null],
  ["compare", "#/projects/ID/compare?before=1&after=2", null],
  ["understand", "#/projects/ID/understand?run=3", null],
];

async function pickTwo(page) {
  const map = page.getByRole("application");
  await map.focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Space");
  await page.getByRole("dialog").waitFor();
}

const folder = mkdtempSync(join(tmpdir(), "coterie-screens-"));
mkdirSync(out, { recursive: true });
const studio = await serveStudio(folder, token);
const browser = await chromium.launch({
  executablePath: findChromium(),
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
try {
  const id = await fill(caller(studio.origin));
  for (const width of [1440, 768])
    for (const theme of ["light", "dark"]) {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: theme });
      for (const [name, address, act] of VIEWS) {
        const page = await context.newPage();
        page.on("pageerror", (error) => console.error(`${name}: ${error.message}`));
        page.on("console", (message) => message.type() === "error" && console.error(`${name}: ${message.text()}`));
        await page.goto(`${studio.origin}/?token=${token}${address.replace("ID", id)}`);
        await page.locator("main").first().waitFor();
        await page.waitForFunction(() => document.querySelector("[aria-busy=true]") === null);
        await page.waitForTimeout(2_000);
        await page.waitForFunction(() => document.querySelector("[aria-busy=true]") === null);
        if (act) await act(page);
        await page.waitForTimeout(300);
        await page.screenshot({ path: join(out, `${name}-${theme}${width === 1440 ? "" : `-${width}`}.png`) });
        await page.close();
      }
      await context.close();
    }
  console.log(`pictures in ${out}`);
} finally {
  await browser.close();
  await studio.stop();
  rmSync(folder, { recursive: true, force: true });
}

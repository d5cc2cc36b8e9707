/**
 * `npm run test:docs` looks at the built site in Chromium: nothing from other hosts, no errors, no horizontal scrolling, axe in both themes at
 * 1280 and 500 pixels, headings in order, layout shift, weight of the first page, search, the remembered way of the lessons, the figures of
 * methods, and a file that is dropped on the first page. Needs `npm run docs`. `--shots FOLDER` keeps pictures of all pages.
 */
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright";
import { ensureChromium } from "./chromium.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "docs/.vitepress/dist");
const base = process.env.COTERIE_DOCS_BASE ?? "/";
const axe = readFileSync(join(root, "node_modules/axe-core/axe.min.js"), "utf8");
const shots = process.argv.includes("--shots") ? process.argv[process.argv.indexOf("--shots") + 1] : undefined;

/** `--only PATTERN` looks at these pages alone. */
const only = process.argv.includes("--only") ? new RegExp(process.argv[process.argv.indexOf("--only") + 1]) : undefined;

/** Most bytes of the first page, compressed as web servers send it. */
const FIRST_PAGE = 300_000;
const MOST_SHIFT = 0.1;

const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".png": "image/png",
  ".csv": "text/csv",
  ".txt": "text/plain",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

const problems = [];
let checks = 0;
function check(holds, sentence) {
  checks++;
  if (holds) return;
  problems.push(sentence);
  console.error(sentence);
}

/** The site under its path, as a plain web server has it. */
async function serve() {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    let file = path.startsWith(base) ? join(dist, path.slice(base.length)) : "";
    if (file && existsSync(file) && statSync(file).isDirectory()) file = join(file, "index.html");
    if (!file || !existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { origin: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

function htmlPages(folder = dist, prefix = "") {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory())
      return ["assets", "try"].includes(entry.name) ? [] : htmlPages(join(folder, entry.name), `${prefix}${entry.name}/`);
    return entry.name.endsWith(".html") && entry.name !== "404.html" ? [`${prefix}${entry.name}`] : [];
  });
}

/** Links of the built pages, also those that are written as HTML. */
function checkLinks(pages) {
  const ids = new Map();
  const idsOf = (file) => {
    if (!ids.has(file)) ids.set(file, new Set([...readFileSync(file, "utf8").matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)));
    return ids.get(file);
  };
  for (const page of pages) {
    const html = readFileSync(join(dist, page), "utf8");
    for (const [, address] of html.matchAll(/<a [^>]*?href="([^"]+)"/g)) {
      if (/^(https?:|mailto:)/.test(address) || address.includes("/try/")) continue;
      const url = new URL(address.replaceAll("&amp;", "&"), `http://site${base}${page}`);
      let file = join(dist, decodeURIComponent(url.pathname).slice(base.length));
      if (existsSync(file) && statSync(file).isDirectory()) file = join(file, "index.html");
      check(url.pathname.startsWith(base) && existsSync(file), `${page}: the link ${address} leads nowhere.`);
      const id = decodeURIComponent(url.hash.slice(1));
      if (id && file.endsWith(".html") && existsSync(file))
        check(idsOf(file).has(id), `${page}: ${address} has no such heading.`);
    }
  }
}

async function open(browser, origin, path, { width = 1280, height = 900, motion = "no-preference" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: "light", reducedMotion: motion });
  const page = await context.newPage();
  const where = `${path} (${width} px)`;
  const sent = [];
  page.on("pageerror", (error) => check(false, `${where}: ${error.message}`));
  page.on("console", (message) => check(message.type() !== "error", `${where}: ${message.text()}`));
  page.on("request", (request) =>
    check(/^(data:|blob:)/.test(request.url()) || request.url().startsWith(origin), `${where} asks for ${request.url()}.`),
  );
  page.on("response", (response) => sent.push(response));
  await page.addInitScript(() => {
    window.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(`${origin}${base}${path}`, { waitUntil: "networkidle" });
  return { page, where, sent, close: () => context.close() };
}

/** What every page must be at a width: no wider than the window, still while it loads, headings in order, and clear to axe in both themes. */
async function checkPage(browser, origin, path, width) {
  const { page, where, close } = await open(browser, origin, path, { width });
  const facts = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth - innerWidth,
    shift: window.shift,
    levels: [...document.querySelectorAll("main :is(h1,h2,h3,h4)")].map((each) => Number(each.tagName[1])),
  }));
  check(facts.wide <= 0, `${where} is ${facts.wide} pixels too wide.`);
  check(facts.shift <= MOST_SHIFT, `${where} shifts by ${facts.shift.toFixed(3)} while it loads.`);
  const skips = facts.levels.filter((level, i) => i > 0 && level > facts.levels[i - 1] + 1);
  check(facts.levels[0] === 1 && skips.length === 0, `${where}: headings skip a level.`);
  await page.evaluate(axe);
  for (const theme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: theme });
    // Colours change over a quarter of a second.
    await page.waitForTimeout(400);
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    for (const { id, nodes } of violations) {
      const places = nodes
        .slice(0, 3)
        .map(({ html, failureSummary }) => `${html.slice(0, 140)} (${failureSummary.split("\n").at(-1).trim()})`);
      check(false, `${path} (${width} px, ${theme}): axe ${id}: ${places.join(" | ")}`);
    }
    checks++;
    if (!shots) continue;
    mkdirSync(shots, { recursive: true });
    await page.screenshot({ path: join(shots, `${path.replaceAll(/\W+/g, "-")}-${width}-${theme}.png`), fullPage: true });
  }
  await close();
  return facts.shift;
}

async function checkFirstPage(browser, origin) {
  const { page, sent, close } = await open(browser, origin, "");
  const bodies = await Promise.all(sent.map((response) => response.body().catch(() => Buffer.alloc(0))));
  const bytes = bodies.reduce((sum, body) => sum + gzipSync(body).length, 0);
  const plain = bodies.reduce((sum, body) => sum + body.length, 0);
  console.log(`first page: ${bytes} bytes compressed, ${plain} as they are, in ${sent.length} files`);
  check(bytes <= FIRST_PAGE, `The first page is ${bytes} bytes, more than ${FIRST_PAGE}.`);
  await page.setInputFiles(".drop-table input[type=file]", {
    name: "mine.csv",
    mimeType: "text/csv",
    buffer: Buffer.from("x,y\n1,2\n1,3\n9,8\n9,9\n"),
  });
  await page.waitForFunction(() => location.hash.includes("/projects/"), null, { timeout: 30_000 }).catch(() => {});
  check(
    await page.evaluate(() => location.hash.includes("/projects/")),
    "A file that is chosen on the first page does not open in the studio.",
  );
  await close();
}

async function checkSearch(browser, origin) {
  const { page, close } = await open(browser, origin, "start.html");
  await page.keyboard.press("Control+k");
  await page.fill(".VPLocalSearchBox input", "cannot-link");
  await page.waitForSelector(".VPLocalSearchBox .result", { timeout: 10_000 }).catch(() => {});
  check((await page.locator(".VPLocalSearchBox .result").count()) > 2, "The search finds nothing for cannot-link.");
  await close();
}

async function checkWays(browser, origin) {
  const { page, close } = await open(browser, origin, "learn/penguins.html");
  await page.getByRole("radio", { name: "TypeScript" }).check({ force: true });
  check(await page.locator('.way[data-way="typescript"]').first().isVisible(), "The lesson does not show TypeScript.");
  await page.goto(`${origin}${base}learn/customers.html`);
  check(await page.locator('.way[data-way="typescript"]').first().isVisible(), "The next lesson forgets the chosen way.");
  check(!(await page.locator('.way[data-way="command-line"]').first().isVisible()), "The next lesson shows two ways.");
  await close();
}

/** The figure of a method: it has frames, a constraint can be added by mouse and by keyboard, and it draws at 60 frames a second. */
async function checkFigures(browser, origin, names) {
  for (const name of names) {
    const { page, close } = await open(browser, origin, `methods/${name}.html`, { motion: "reduce" });
    await page.waitForSelector(".method-figure .dot", { timeout: 20_000 }).catch(() => {});
    const caption = await page.textContent(".method-figure figcaption span").catch(() => "");
    check(/cluster/.test(caption ?? ""), `The figure of ${name} says "${caption}".`);
    await close();
  }
  const { page, close } = await open(browser, origin, "methods/kmeans.html");
  await page.waitForSelector(".method-figure .dot");
  await page.getByRole("button", { name: "Cannot-link" }).click();
  const before = await page.locator(".method-figure .link").count();
  await page.locator(".method-figure svg").focus();
  for (const key of ["Enter", "ArrowRight", "Enter"]) await page.keyboard.press(key);
  check((await page.locator(".method-figure .link").count()) === before + 1, "The keyboard adds no cannot-link to the figure.");
  await page.getByRole("button", { name: "Play" }).click();
  const rate = await page.evaluate(
    () =>
      new Promise((done) => {
        let frames = 0;
        const start = performance.now();
        const count = (now) => {
          frames++;
          if (now - start < 2_000) requestAnimationFrame(count);
          else done((1_000 * frames) / (now - start));
        };
        requestAnimationFrame(count);
      }),
  );
  console.log(`the figure plays at ${rate.toFixed(0)} frames a second`);
  await close();
}

const server = await serve();
const browser = await chromium.launch({ executablePath: ensureChromium(), args: ["--no-sandbox", "--disable-gpu"] });
try {
  const pages = htmlPages();
  checkLinks(pages);
  await checkFirstPage(browser, server.origin);
  await checkSearch(browser, server.origin);
  await checkWays(browser, server.origin);
  const methods = readdirSync(join(dist, "methods")).map((file) => file.replace(/\.html$/, ""));
  await checkFigures(
    browser,
    server.origin,
    methods.filter((name) => !["index", "duplicates"].includes(name)),
  );
  const main = pages.filter(
    (page) => !/^(measurements|decisions|experiments)\//.test(page) || /index|site|methods|table-1/.test(page),
  );
  let most = 0;
  for (const page of main.filter((each) => !only || only.test(each)))
    for (const width of [1280, 500]) most = Math.max(most, await checkPage(browser, server.origin, page, width));
  console.log(`${main.length} pages in two themes and two widths; largest layout shift ${most.toFixed(3)}`);
} finally {
  await browser.close();
  server.close();
}
console.log(`${checks - problems.length} passed, ${problems.length} failed`);
if (problems.length > 0) process.exitCode = 1;

/** The documentation site. `npm run docs` builds it into docs/.vitepress/dist; COTERIE_DOCS_BASE is the path under which it is published. */
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import { expandPage } from "../../tools/docs/expand.mjs";
import { nav, sidebar } from "./sections.mjs";

const packages = (path) => fileURLToPath(new URL(`../../packages/${path}`, import.meta.url));

/** Sets the remembered way (command line, TypeScript, studio) before the first paint, so that nothing moves. */
const WAY =
  'document.documentElement.dataset.way=(()=>{try{return localStorage.getItem("coterie-way")}catch{}})()||"command-line"';

/** Width and height of a picture of a page, SVG or PNG, in pixels. */
function sizeOf(source, page) {
  const path = source.startsWith("/") ? join("public", source) : posix.join(posix.dirname(page), source);
  const bytes = readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)));
  if (path.endsWith(".png")) return [String(bytes.readUInt32BE(16)), String(bytes.readUInt32BE(20))];
  const [, width, height] = /viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"/.exec(bytes.toString("utf8")) ?? [];
  if (!width) throw new Error(`${page}: the picture ${source} has no viewBox.`);
  return [width, height];
}

export default defineConfig({
  lang: "en",
  title: "Coterie",
  description: "Cluster a table with what you know about its rows: command line, TypeScript library and studio.",
  base: process.env.COTERIE_DOCS_BASE ?? "/",
  cleanUrls: false,
  lastUpdated: false,
  srcExclude: ["api.md", "images/**", "experiments/**/raw/**", "README.md"],
  head: [
    ["link", { rel: "icon", type: "image/svg+xml", href: `${process.env.COTERIE_DOCS_BASE ?? "/"}icon.svg` }],
    ["script", {}, WAY],
  ],
  rewrites: { "decisions/README.md": "decisions/index.md", "experiments/README.md": "experiments/index.md" },
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    languageAlias: { output: "text" },
    image: { lazyLoading: false },
    config(md) {
      // One place for page and search: what a page takes from the sources stands in its text before it is parsed.
      md.core.ruler.before("normalize", "coterie", (state) => {
        if (state.env?.relativePath ?? state.env?.path)
          state.src = expandPage(state.src, state.env.relativePath ?? state.env.path, state.env.frontmatter);
      });
      // A column without a title has an empty cell there, and no heading.
      md.core.ruler.push("empty-headings", ({ tokens }) => {
        for (const [i, token] of tokens.entries())
          if (token.type === "th_open" && tokens[i + 1]?.content === "") token.tag = tokens[i + 2].tag = "td";
      });
      // A picture with its size keeps its place while it loads.
      md.core.ruler.push("picture-sizes", ({ tokens, env }) => {
        for (const { children } of tokens)
          for (const child of children ?? []) {
            if (child.type !== "image") continue;
            const [width, height] = sizeOf(child.attrGet("src"), env.relativePath ?? "");
            child.attrSet("width", width);
            child.attrSet("height", height);
          }
      });
      const table = md.renderer.rules.table_open;
      md.renderer.rules.table_open = (...all) => `<div class="wide" tabindex="0">${table ? table(...all) : "<table>\n"}`;
      md.renderer.rules.table_close = () => "</table></div>\n";
    },
  },
  vite: {
    resolve: {
      alias: [
        { find: /^@coterie\/core\/internal$/, replacement: packages("core/src/internal.ts") },
        { find: /^@coterie\/figures\/layout$/, replacement: packages("figures/src/layout/index.ts") },
      ],
      conditions: ["source", "module", "browser", "development|production"],
    },
    build: { chunkSizeWarningLimit: 2_000, reportCompressedSize: false },
    worker: { format: "es" },
    server: { fs: { allow: [fileURLToPath(new URL("../..", import.meta.url))] } },
  },
  themeConfig: {
    logo: "/icon.svg",
    nav,
    sidebar,
    outline: { level: [2, 3], label: "On this page" },
    search: { provider: "local", options: { detailedView: false } },
    docFooter: { prev: "Before", next: "Next" },
    externalLinkIcon: true,
    footer: { message: "MIT licence. No page of this site loads anything from another place." },
  },
});

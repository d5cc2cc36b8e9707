/**
 * What the pages of the site take from the sources: options and facts of methods, flags of commands, public names, schemas. A page marks the
 * place with a comment, such as `<!-- command cluster -->`. Needs the build of the packages.
 */
import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { catalogue } from "../../packages/core/dist/internal.js";
import { commandReference } from "./command-reference.mjs";
import { galleryItems } from "./gallery-items.mjs";
import { libraryReference } from "./library-reference.mjs";
import { methodComparison, methodFacts, methodOptionTable, methodTable, whichMethod } from "./method-pages.mjs";
import { httpReference, schemaReference } from "./schemas.mjs";

export const docs = fileURLToPath(new URL("../../docs/", import.meta.url));
const BASE = process.env.COTERIE_DOCS_BASE ?? "/";
const REPOSITORY = "https://github.com/coterie/coterie/blob/main/";

/** What stands for a mark: its words after the kind, and the name of the page. */
const PARTS = {
  "method-facts": ([name]) => methodFacts(methodOf(name)),
  "method-comparison": ([name]) => methodComparison(methodOf(name)),
  "method-options": ([name]) => methodOptionTable(methodOf(name)),
  methods: () => methodTable(),
  "which-method": () => whichMethod(),
  command: ([name]) => commandReference(name),
  library: ([entry]) => libraryReference(entry),
  "http-api": () => httpReference(),
  schema: ([name]) => schemaReference(name),
  gallery: () => gallery(),
};

function methodOf(name) {
  const method = catalogue.find((each) => each.name === name);
  if (!method) throw new Error(`A page asks for the method "${name}", which is not in the catalogue.`);
  return method;
}

/** The text of a page as Markdown and HTML alone. Marks inside of code stay as they are. */
export function expandPage(text, page) {
  const parts = splitCode(text);
  return parts
    .map(({ code, text: part }) => (code ? part : ways(localLinks(based(escaped(marks(part, page), page)), page))))
    .join("");
}

/** Links written as HTML lead to pages under the path of the site; links of Markdown do so by themselves. */
function based(text) {
  return text.replace(/(<a [^>]*href=")\/([^"#/]*\/)*([^"#]*)/g, (whole, open) => {
    const path = whole.slice(open.length + 1);
    const page = path === "" || path.endsWith("/") || /\.\w+$/.test(path) ? path : `${path}.html`;
    return `${open}${BASE}${page}`;
  });
}

/** Pages of the evidence are plain Markdown: braces and angle brackets in their sentences are text, and no template. */
function escaped(text, page) {
  return /^(measurements|decisions|experiments)\//.test(page) ? text.replaceAll("{{", "&#123;&#123;") : text;
}

function marks(text, page) {
  return text.replace(/<!-- ([a-z-]+)((?: [\w/-]+)*) -->/g, (whole, kind, rest) => {
    const part = PARTS[kind];
    if (!part) return whole;
    try {
      return part(rest.trim().split(" ").filter(Boolean), page);
    } catch (error) {
      throw new Error(`${page}: ${error.message}`);
    }
  });
}

/** `::: way typescript` … `:::` is a part that shows while the reader has chosen TypeScript. */
function ways(text) {
  return text
    .replace(/^::: way (command-line|typescript|studio)$/gm, '<div class="way" data-way="$1">\n')
    .replace(/^:::$/gm, "\n</div>");
}

/** A link that leads out of docs/, or to raw numbers, leads to the repository. */
function localLinks(text, page) {
  return text.replace(/(!?\]\()((?!https?:|mailto:|#|\/)[^)\s]+)\)/g, (whole, open, target) => {
    const [path, hash] = target.split("#");
    const place = posix.normalize(posix.join(posix.dirname(page), decodeURIComponent(path)));
    const isOutside = place.startsWith("..");
    if (!isOutside && (/\.(md|svg|png|html)$/.test(path) || !/\.\w+$/.test(path)) && place !== "api.md")
      return whole.replace(/README\.md(?=[#)])/, "index.md");
    const inRepository = posix.normalize(posix.join("docs", place));
    return `${open}${REPOSITORY}${inRepository}${hash ? `#${hash}` : ""})`;
  });
}

/** Splits a page into fenced code and the text between. */
function splitCode(text) {
  const parts = [];
  let at = 0;
  for (const match of text.matchAll(/^( *)(`{3,})[^`\n]*\n[\s\S]*?^\1\2 *$\n?/gm)) {
    parts.push({ code: false, text: text.slice(at, match.index) }, { code: true, text: match[0] });
    at = match.index + match[0].length;
  }
  parts.push({ code: false, text: text.slice(at) });
  return parts.filter((part) => part.text !== "");
}

function gallery() {
  const cards = galleryItems().map(({ title, about, image, link }) => {
    if (!existsSync(join(docs, "public", image)))
      throw new Error(`The gallery has no picture ${image}: run node tools/docs-pictures.mjs.`);
    return `<a href="${link}"><div class="thumb"><img src="/${image}" alt="" loading="lazy" width="220" height="134"></div><b>${title}</b><span>${about}</span></a>`;
  });
  return `<div class="gallery">\n${cards.join("\n")}\n</div>`;
}

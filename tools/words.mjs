/**
 * `node tools/words.mjs --draw comments|texts SEED [COUNT]` draws comments of the sources, or help texts and labels of the studio, for a
 * reader who has not seen them: docs/measurements/reading.md.
 *
 * Lists words in comments, messages and documentation that have a plainer one, with the plainer one: `node tools/words.mjs [PATH …]`.
 *
 * In sources only comments and string literals are read, in Markdown everything but code. Names of identifiers have a list of their own.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import ts from "typescript";

/** Names of columns and files of raw numbers, and words from which seeds are made: they stay as they were when the trials were run. */
const RAW = /^packages\/experiments\/src\/liu2011\/(figures|questions|tables)\.ts$/;

/** Word in prose → what to write instead, and files in which the word has its usual meaning. */
const PROSE = [
  [/\b(desks?|deeds?)\b/i, "context, actions"],
  [/\b(?<!U\.S\. )(houses?|doors?)\b/i, "architecture, entry points", /text\/stop-words\.ts$/],
  [/\b(mends?|mended|mending)\b/i, "fix"],
  [/\b(lends?|lent|lending)\b/i, "pass"],
  [/\b(tells?|told|telling)\b/i, "report, say; distinguish"],
  [/\b(hears?|heard|hearing)\b/i, "receive, respond to"],
  [/\bso many\b/i, "the number"],
  [/\bas pairs fall\b/i, "at random"],
  [/\bgo(es)? round\b/i, "is cyclic"],
  [/\b(statements?)\b/i, "constraint", new RegExp(`^(packages/(server|engines)|tools|bench)/|mutation|${RAW.source}`)],
  [/\b(shall|lest)\b/i, "must; so that … not"],
  [/\bwhatever it is\b/i, "any"],
  [/\b(is|are|was|were) (said|spoken)\b/i, "active voice"],
  [/\bspeaks? of\b/i, "names, describes"],
  [/\brestless\b/i, "oscillating"],
  [/\bless than nothing\b/i, "negative"],
  [/\b(whereof|thereof|hereby|whilst|thus|hence)\b(?!\s+Δ)/i, "a modern word"],
  [/\bCONTRACT\b/, "the guide"],
];

/** Part of an identifier → what to call it instead. */
const NAMES = [
  [/^(desk|seat|deed|deeds)$|[Dd]esk(?![a-z])|Seat(?![a-z])/, "context, loaded table, actions"],
  // `told` and `statement` are keys of JSON that people read by program: of advice, and of answers that were overruled.
  [/^(told|heard|mend|lend)$/, "reported, received, fix, pass", /\/advi[sc]e\.ts$|method-panel\.tsx$|app\.browser\.test\.tsx$/],
  [/^(Rooms?|Found|Seen|Said|Stands|CHOICE|tableWord)$/, "a result type named by what it holds"],
  [
    /[Ss]tatement/,
    "constraint",
    new RegExp(
      `^(packages/(server|engines)|tools|bench)/|model/result\\.ts$|(commands/ask|projects/current-table)\\.ts$|ask-answer-with\\.test\\.ts$|${RAW.source}`,
    ),
  ],
  [/^KeptColouring$/, "IncrementalColouring"],
];

/** @returns {{ line: number, word: string, instead: string }[]} */
export function wordsIn(path, text) {
  const found = [];
  const check = (list, from, part) => {
    for (const [pattern, instead] of list.filter(([, , usualIn]) => !usualIn?.test(path)))
      for (const match of part.matchAll(new RegExp(pattern, `${pattern.flags}g`)))
        found.push({ line: text.slice(0, from + match.index).split("\n").length, word: match[0], instead });
  };
  if (path.endsWith(".md")) {
    check(
      PROSE,
      0,
      text.replace(/```[\s\S]*?```|`[^`\n]*`|\]\([^)]*\)/g, (code) => code.replace(/[^\n]/g, " ")),
    );
    return found;
  }
  for (const { from, text: part, kind } of partsOf(path, text)) check(kind === "name" ? NAMES : PROSE, from, part);
  return found;
}

function partsOf(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const comments = new Map();
  const parts = [];
  const visit = (node) => {
    for (const range of [
      ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.getEnd()) ?? []),
    ])
      comments.set(range.pos, range.end);
    const isText =
      ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node) || ts.isJsxText(node);
    if (isText && !ts.isImportDeclaration(node.parent) && !ts.isExportDeclaration(node.parent))
      parts.push({ kind: "text", from: node.getStart(), text: node.getText() });
    if (ts.isIdentifier(node)) parts.push({ kind: "name", from: node.getStart(), text: node.text });
    ts.forEachChild(node, visit);
  };
  visit(source);
  visit(source.endOfFileToken);
  for (const [from, to] of wholeComments(text, comments)) parts.push({ kind: "comment", from, text: text.slice(from, to) });
  return parts;
}

/** Line comments on lines that follow each other are one comment. */
function wholeComments(text, comments) {
  const whole = [];
  for (const [from, to] of [...comments].sort(([a], [b]) => a - b)) {
    const last = whole.at(-1);
    const goesOn =
      last && text.startsWith("//", last[0]) && text.startsWith("//", from) && /^\n[ \t]*$/.test(text.slice(last[1], from));
    if (goesOn) last[1] = to;
    else whole.push([from, to]);
  }
  return whole;
}

/** Comments of all packages, or texts of four words or more in help, options and the studio, in an order that the seed decides. */
function draw(what, seed, count) {
  const files = readable().filter((path) => /^packages\/[^/]+\/src\//.test(path) && !/\.test\.|\/testing\//.test(path));
  const wanted = files.filter(
    (path) => what === "comments" || /^packages\/(cli\/src\/(commands|ask)|studio|core\/src\/algorithms)/.test(path),
  );
  const all = wanted.flatMap((path) => {
    const text = readFileSync(path, "utf8");
    return partsOf(path, text)
      .filter(({ kind, text: part }) =>
        what === "comments"
          ? kind === "comment" && part.length > 30 && !part.includes("biome-ignore")
          : kind === "text" && !/[{}`]/.test(part) && part.trim().split(/\s+/).length >= 4,
      )
      .map(({ from, text: part }) => {
        const line = text.slice(0, from).split("\n").length;
        const after = text
          .slice(from + part.length)
          .split("\n")
          .slice(1, 4)
          .join("\n");
        const key = createHash("sha256").update(`${seed}:${path}:${from}`).digest("hex");
        return { key, shown: `${path}:${line}\n${part}${what === "comments" ? `\n${after}` : ""}` };
      });
  });
  return all.sort((one, two) => (one.key < two.key ? -1 : 1)).slice(0, count);
}

/** Sources and documents that people write and read: no generated files, no sample tables, no published page of an earlier release. */
export function readable() {
  return execFileSync("git", ["ls-files", "*.ts", "*.tsx", "*.mjs", "*.md"], { encoding: "utf8", maxBuffer: 1 << 26 })
    .trim()
    .split("\n")
    .filter(
      (path) =>
        !/(^|\/)(generated|goldens)\/|^docs\/(api\.md|experiments\/)|^CHANGELOG\.md|^\.changeset|\/assembly\/|^tools\/words\./.test(
          path,
        ),
    );
}

if (process.argv[1] === import.meta.filename && process.argv[2] === "--draw") {
  const [what, seed = "1", count = what === "comments" ? "60" : "40"] = process.argv.slice(3);
  for (const [i, { shown }] of draw(what, seed, Number(count)).entries()) console.log(`${i + 1}. ${shown}\n`);
} else if (process.argv[1] === import.meta.filename) {
  const under = process.argv.slice(2);
  const paths = readable().filter((path) => under.length === 0 || under.some((prefix) => path.startsWith(prefix)));
  let count = 0;
  for (const path of paths)
    for (const { line, word, instead } of wordsIn(path, readFileSync(path, "utf8"))) {
      console.log(`${path}:${line}: "${word}": ${instead}`);
      count++;
    }
  console.log(`${count} words in ${paths.length} files`);
  process.exitCode = count > 0 ? 1 : 0;
}

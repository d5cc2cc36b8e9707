/**
 * Regular expressions whose cost can grow faster than the text: `node tools/regular-expressions.mjs` lists those in the sources of all
 * packages. An expression that is tried on a text of a person must be linear in its length, or a long text stops the program.
 *
 * Each expression becomes a graph of its characters (Glushkov). A backtracking engine is super-linear where one stretch of text can be
 * read in several ways that all have to fail: two loops, one reachable from the other, that read the same word also on the way between
 * them; or one loop that can be gone round in two ways, as in (a+)+. A search that may begin anywhere counts as a loop before the
 * expression. A loop never fails where the expression matches in it, whatever follows. Bounded repeats are no loops.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Characters that stand for all: ASCII, and a few beyond it that character classes distinguish. */
const ALPHABET = [
  ...Array.from({ length: 128 }, (_, i) => String.fromCharCode(i)),
  "\u00a0",
  "é",
  "≤",
  "≠",
  "×",
  "漢",
  "\ud83d",
  "\u2028",
];

/** Copies of what is repeated a bounded number of times: enough to see how it meets its neighbours. */
const COPIES = 2;

/** @typedef {{ first: Set<number>, last: Set<number>, ends: Set<number>, empty: boolean, endsEmpty: boolean }} Piece */

class Reader {
  /** @param {string} source @param {string} flags */
  constructor(source, flags) {
    this.source = source;
    this.flags = flags;
    this.at = 0;
    /** What each place reads. @type {boolean[][]} */
    this.reads = [];
    /** @type {Map<number, number>[]} */
    this.follow = [];
  }

  /** @returns {Piece} */
  alternatives() {
    let all = this.sequence();
    while (this.source[this.at] === "|") {
      this.at++;
      const other = this.sequence();
      all = {
        first: new Set([...all.first, ...other.first]),
        last: new Set([...all.last, ...other.last]),
        ends: new Set([...all.ends, ...other.ends]),
        empty: all.empty || other.empty,
        endsEmpty: all.endsEmpty || other.endsEmpty,
      };
    }
    return all;
  }

  /** @returns {Piece} */
  sequence() {
    let all = nothing(true);
    while (this.at < this.source.length && !"|)".includes(this.source[this.at])) {
      const start = this.at;
      const item = this.item();
      const [least, most] = this.quantifier();
      if (most === 1 && least === 1) all = this.joined(all, item);
      else all = this.joined(all, this.repeated(item, least, most, start));
    }
    return all;
  }

  /** @param {Piece} item @param {number} least @param {number} most @param {number} start @returns {Piece} */
  repeated(item, least, most, start) {
    const optional = (/** @type {Piece} */ piece) => ({ ...piece, empty: true, endsEmpty: true });
    if (most === Infinity) {
      for (const p of item.last) for (const q of item.first) this.link(p, q);
      return least === 0 ? optional(item) : item;
    }
    if (most === 0) return nothing(true);
    let all = least === 0 ? optional(item) : item;
    const end = this.at;
    for (let copy = 1; copy < Math.min(most, COPIES); copy++) {
      this.at = start;
      const again = this.item();
      this.at = end;
      all = this.joined(all, copy < least ? again : optional(again));
    }
    return all;
  }

  /** @param {Piece} a @param {Piece} b @returns {Piece} */
  joined(a, b) {
    for (const p of a.last) for (const q of b.first) this.link(p, q);
    return {
      first: a.empty ? new Set([...a.first, ...b.first]) : a.first,
      last: b.empty ? new Set([...a.last, ...b.last]) : b.last,
      ends: b.endsEmpty ? new Set([...a.ends, ...b.ends]) : b.ends,
      empty: a.empty && b.empty,
      endsEmpty: a.endsEmpty && b.endsEmpty,
    };
  }

  /** @param {number} p @param {number} q */
  link(p, q) {
    this.follow[p].set(q, (this.follow[p].get(q) ?? 0) + 1);
  }

  /** @returns {[number, number]} */
  quantifier() {
    const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(this.source.slice(this.at, this.at + 30));
    if (!found) return [1, 1];
    this.at += found[0].length;
    const [sign] = found[0];
    if (sign === "*") return [0, Infinity];
    if (sign === "+") return [1, Infinity];
    if (sign === "?") return [0, 1];
    const least = Number(found[1]);
    return [least, found[2] === "" ? least : found[3] === "" ? Infinity : Number(found[3])];
  }

  /** @returns {Piece} */
  item() {
    const sign = this.source[this.at];
    if (sign === "(") return this.group();
    if (sign === "^" || sign === "$") {
      this.at++;
      // Nothing comes after the end of the whole text.
      return { ...nothing(false), empty: sign === "^" || this.flags.includes("m") };
    }
    if (sign === "[") return this.place(this.class());
    if (sign === "\\" && "bB".includes(this.source[this.at + 1])) {
      this.at += 2;
      return nothing(false);
    }
    if (sign === "\\") return this.place(this.escape());
    this.at++;
    return this.place(sign);
  }

  /** @returns {Piece} */
  group() {
    const [head] = /** @type {RegExpExecArray} */ (/^\((?:\?(?:<?[=!]|:|<\w+>))?/.exec(this.source.slice(this.at, this.at + 60)));
    this.at += head.length;
    const inside = this.alternatives();
    this.at++;
    // What is looked at is not passed over; its own loops are in the graph all the same.
    return /[=!]$/.test(head) ? nothing(false) : inside;
  }

  escape() {
    const [text] = /** @type {RegExpExecArray} */ (
      /^\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|u\{[0-9a-f]+\}|[pP]\{[^}]*\}|c[A-Za-z]|k<\w+>|[\s\S])/i.exec(
        this.source.slice(this.at, this.at + 60),
      )
    );
    this.at += text.length;
    return text;
  }

  class() {
    const start = this.at;
    for (this.at++; this.source[this.at] !== "]"; this.at++) if (this.source[this.at] === "\\") this.at++;
    this.at++;
    return this.source.slice(start, this.at);
  }

  /** @param {string} text @returns {Piece} */
  place(text) {
    const flags = this.flags.replaceAll(/[gyd]/g, "");
    // A reference to what was found before can be any text.
    const isReference = /^\\(?:[1-9]|k<)/.test(text);
    const number = this.reads.push(isReference ? ALPHABET.map(() => true) : lettersOf(text, flags)) - 1;
    this.follow.push(new Map());
    const only = new Set([number]);
    return { first: only, last: only, ends: only, empty: false, endsEmpty: false };
  }
}

/** @param {string} text @param {string} flags */
function lettersOf(text, flags) {
  const single = new RegExp(`^(?:${text})$`, flags);
  return ALPHABET.map((letter) => single.test(letter));
}

/** @param {boolean} endsEmpty @returns {Piece} */
function nothing(endsEmpty) {
  return { first: new Set(), last: new Set(), ends: new Set(), empty: true, endsEmpty };
}

/** Why an expression can be super-linear; null if it is not. @param {string} source @param {string} flags */
export function superLinear(source, flags) {
  const reader = new Reader(source, flags);
  const whole = reader.alternatives();
  const { reads, follow } = reader;
  if (!isAnchored(source, flags)) {
    // A search goes from letter to letter; it may enter after any of them, or only after those that a look behind allows.
    const guard = guardOf(source, flags);
    const [before, other] = [reads.push(guard) - 1, reads.push(guard.map((yes) => !yes)) - 1];
    const onwards = /** @type {[number, number][]} */ ([before, other].map((next) => [next, 1]));
    follow.push(new Map(onwards), new Map(onwards));
    for (const q of whole.first) follow[before].set(q, 1);
  }
  const reachable = follow.map((_, p) => reachableFrom(p, follow));
  const isLoop = (/** @type {number} */ p) => reachable[p].has(p);
  for (let p = 0; p < follow.length; p++)
    for (const [q, ways] of follow[p])
      if (ways > 1 && reachable[q].has(p) && !whole.ends.has(q)) return `the same loop in ${ways} ways`;
  for (let p = 0; p < follow.length; p++) {
    if (!isLoop(p)) continue;
    for (const q of reachable[p])
      if (q !== p && isLoop(q) && !whole.ends.has(q) && readsBoth(p, q, reads, follow, reachable, whole.ends))
        return "two loops that read the same text";
  }
  return null;
}

/** The letters after which an expression may begin to match. @param {string} source @param {string} flags */
function guardOf(source, flags) {
  const behind =
    /^\(\?<!(\[(?:[^\]\\]|\\[\s\S])*\]|\\\w|[^\\[(])\)/.exec(source)?.[1] ?? (source.startsWith("\\b") ? "\\w" : null);
  return behind === null ? ALPHABET.map(() => true) : lettersOf(behind, flags.replaceAll(/[gyd]/g, "")).map((yes) => !yes);
}

/** Whether every alternative begins at the beginning. @param {string} source @param {string} flags */
function isAnchored(source, flags) {
  if (flags.includes("y")) return true;
  if (flags.includes("m") || !source.startsWith("^")) return false;
  for (let at = 0, depth = 0; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === "[") while (source[++at] !== "]") at += source[at] === "\\" ? 1 : 0;
    else if (source[at] === "(") depth++;
    else if (source[at] === ")") depth--;
    else if (source[at] === "|" && depth === 0 && source[at + 1] !== "^") return false;
  }
  return true;
}

/** @param {number} p @param {Map<number, number>[]} follow */
function reachableFrom(p, follow) {
  const found = new Set();
  const open = [...follow[p].keys()];
  for (let q = open.pop(); q !== undefined; q = open.pop()) {
    if (found.has(q)) continue;
    found.add(q);
    open.push(...follow[q].keys());
  }
  return found;
}

/**
 * Whether one word leads from p to p, from p to q and from q to q: three walks at once, each step on a character that all three read.
 * @param {number} p @param {number} q @param {boolean[][]} reads @param {Map<number, number>[]} follow @param {Set<number>[]} reachable
 * @param {Set<number>} ends
 */
function readsBoth(p, q, reads, follow, reachable, ends) {
  const seen = new Set();
  const open = [[p, p, q]];
  for (let now = open.pop(); now; now = open.pop()) {
    const [a, b, c] = now;
    for (const x of follow[a].keys()) {
      if (!reachable[x].has(p)) continue;
      for (const y of follow[b].keys()) {
        if (y !== q && !reachable[y].has(q)) continue;
        for (const z of follow[c].keys()) {
          if (!reachable[z].has(q) || ends.has(z)) continue;
          const key = (x * reads.length + y) * reads.length + z;
          if (seen.has(key) || !reads[x].some((yes, i) => yes && reads[y][i] && reads[z][i])) continue;
          if (x === p && y === q && z === q) return true;
          seen.add(key);
          open.push([x, y, z]);
        }
      }
    }
  }
  return false;
}

/** Every regular expression in a source file. @param {string} path */
export function expressionsIn(path) {
  const file = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  /** @type {{ place: string, source: string | null, flags: string }[]} */
  const found = [];
  /** @type {Map<string, ts.Expression>} */
  const constants = new Map();
  const placeOf = (/** @type {ts.Node} */ node) =>
    `${path.slice(root.length)}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
  /** @type {(node: ts.Node) => void} */
  const visit = (node) => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      found.push({ place: placeOf(node), source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    }
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer)
      constants.set(node.name.text, node.initializer);
    if (ts.isNewExpression(node) && node.expression.getText() === "RegExp") {
      const [source, flags] = node.arguments ?? [];
      found.push({ place: placeOf(node), source: textOf(source, constants), flags: textOf(flags, constants) ?? "" });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/**
 * A text that is put together from constants of the same file; null where it is not. What is called or passed in is unknown.
 * @param {ts.Expression | undefined} node @param {Map<string, ts.Expression>} constants @returns {string | null}
 */
function textOf(node, constants) {
  if (node === undefined) return null;
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isIdentifier(node)) return textOf(constants.get(node.text), constants);
  if (ts.isTaggedTemplateExpression(node))
    return node.tag.getText() === "String.raw" ? templateOf(node.template, constants, true) : null;
  if (ts.isTemplateExpression(node)) return templateOf(node, constants, false);
  return null;
}

/** @param {ts.TemplateLiteral} node @param {Map<string, ts.Expression>} constants @param {boolean} isRaw @returns {string | null} */
function templateOf(node, constants, isRaw) {
  const words = (/** @type {ts.TemplateLiteralLikeNode} */ part) => (isRaw ? (part.rawText ?? part.text) : part.text);
  if (ts.isNoSubstitutionTemplateLiteral(node)) return words(node);
  let text = words(node.head);
  for (const { expression, literal } of node.templateSpans) {
    const value = textOf(expression, constants);
    if (value === null) return null;
    text += value + words(literal);
  }
  return text;
}

export function allExpressions() {
  return readdirSync(join(root, "packages")).flatMap((name) => {
    const src = join(root, "packages", name, "src");
    return readdirSync(src, { recursive: true })
      .map((path) => join(src, String(path)))
      .filter((path) => /\.tsx?$/.test(path) && !/\.(test|reference)\.tsx?$/.test(path))
      .filter((path) => ![`${sep}testing${sep}`, `${sep}e2e${sep}`].some((folder) => path.includes(folder)))
      .flatMap(expressionsIn);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { place, source, flags } of allExpressions()) {
    const why = source === null ? "made while the program runs" : superLinear(source, flags);
    if (why) console.log(`${place}: /${source}/${flags}: ${why}`);
  }
}

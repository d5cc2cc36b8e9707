/**
 * Reads and writes hierarchies: Newick, and nested JSON `{"children":[…]}` with `"id"` on the leaves. No function is recursive, because
 * hierarchical clustering often gives trees with a depth of 100,000.
 */
import { badInput, type CoterieError } from "@coterie/core/internal";
import { counted, quoted } from "../table/sentences.js";

export interface Hierarchy {
  readonly children?: readonly Hierarchy[];
  readonly id?: string;
  readonly length?: number;
  /**
   * The height at which the children of this node join. Null if a constraint forbids the merge. A Newick file has it as a comment; other
   * programs skip comments.
   */
  readonly height?: number | null;
}

interface Growing {
  children?: Growing[];
  id?: string;
  length?: number;
}

export function parseHierarchy(text: string, file: string): Hierarchy {
  return text.trimStart().startsWith("{") ? parseTreeJson(text, file) : parseNewick(text, file);
}

export function parseNewick(text: string, file: string): Hierarchy {
  const words = newickWords(text, file);
  const root: Growing = {};
  const open: Growing[] = [];
  let node = root;
  if (words.next() === undefined) throw badInput("The file is empty.", { file, remedy: "Write a tree such as ((a,b),c);" });
  for (;;) {
    if (words.next() === "(") {
      if (node.children) throw words.failure("An opening bracket follows a whole node", "Put a comma between them.");
      words.pass();
      const child: Growing = {};
      node.children = [child];
      open.push(node);
      node = child;
      continue;
    }
    Object.assign(node, words.label());
    const end = words.next();
    if (!node.children && node.id === undefined) throw words.failure("A leaf has no name", "Name every leaf.");
    if (end === ",") {
      const parent = open.at(-1);
      if (!parent) throw words.failure("A comma stands outside of all brackets", "Put brackets around the whole tree.");
      words.pass();
      node = {};
      parent.children!.push(node);
    } else if (end === ")") {
      const parent = open.pop();
      if (!parent) throw words.failure("A closing bracket has no opening one", "Take it out, or open it.");
      words.pass();
      node = parent;
    } else break;
  }
  if (open.length > 0) {
    const are = open.length === 1 ? "is" : "are";
    throw words.failure(`${counted(open.length, "bracket")} ${are} still open`, "Close every bracket.");
  }
  if (words.next() === ";") words.pass();
  const rest = words.rest();
  if (rest !== "")
    throw words.failure(`Something follows the tree: ${quoted(rest.slice(0, 20))}`, "Write one tree, ended by a semicolon.");
  return root;
}

export function parseTreeJson(text: string, file: string): Hierarchy {
  return treeOf(parseDeepJson(text, file), file);
}

function treeOf(value: unknown, file: string): Hierarchy {
  const root: Growing = {};
  const work: { readonly value: unknown; readonly node: Growing; readonly path: string }[] = [
    { value, node: root, path: "the root" },
  ];
  for (let item = work.pop(); item; item = work.pop()) {
    const { node, path } = item;
    if (typeof item.value !== "object" || item.value === null || Array.isArray(item.value)) {
      throw badInput(`In the hierarchy ${path} is not an object.`, { file, remedy: treeRemedy });
    }
    const { children, id, length } = item.value as Record<string, unknown>;
    if (typeof id === "string" || typeof id === "number") node.id = String(id);
    else if (id !== undefined && id !== null)
      throw badInput(`In the hierarchy the id of ${path} is not a text.`, { file, remedy: treeRemedy });
    if (typeof length === "number" && Number.isFinite(length)) node.length = length;
    if (children === undefined || (Array.isArray(children) && children.length === 0)) {
      if (node.id === undefined)
        throw badInput(`In the hierarchy ${path} has neither children nor an id.`, { file, remedy: treeRemedy });
      continue;
    }
    if (!Array.isArray(children))
      throw badInput(`In the hierarchy the children of ${path} are not an array.`, { file, remedy: treeRemedy });
    const kids: Growing[] = children.map(() => ({}));
    node.children = kids;
    children.forEach((child, i) => {
      const parent = path === "the root" || path.length > 80 ? "" : ` of ${path}`;
      work.push({ value: child, node: kids[i]!, path: `child ${i}${parent}` });
    });
  }
  return root;
}

const treeRemedy = 'Write {"children": […]} for inner nodes and {"id": …} for leaves.';

/** Parses JSON. Some JavaScript engines parse by recursion and throw a RangeError for deep JSON; this becomes a readable error. */
function parseDeepJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof RangeError) throw badInput("The hierarchy is too deep.", { file, remedy: "Write it as Newick." });
    throw badInput("The file is not valid JSON.", { file, remedy: treeRemedy });
  }
}

/** Writes a hierarchy as Newick text. Names are quoted if necessary. A comment marks a merge that a constraint forbids. */
export function writeNewick(tree: Hierarchy): string {
  return written(tree, {
    open: () => "(",
    between: ",",
    close: (node) => `)${newickName(node)}`,
    leaf: newickName,
  }).concat(";\n");
}

function newickName({ id, length, height }: Hierarchy): string {
  const name = id === undefined ? "" : /^[^\s()[\]{},:;'"]+$/.test(id) ? id : `'${id.replaceAll("'", "''")}'`;
  const marked = height === null ? `${name}[&forbidden=true]` : name;
  return length === undefined ? marked : `${marked}:${length}`;
}

export function writeTreeJson(tree: Hierarchy): string {
  const facts = ({ id, length, height }: Hierarchy) => {
    const parts = [];
    if (id !== undefined) parts.push(`"id":${JSON.stringify(id)}`);
    if (length !== undefined) parts.push(`"length":${JSON.stringify(length)}`);
    if (height !== undefined) parts.push(`"height":${JSON.stringify(height)}`);
    return parts.join(",");
  };
  return written(tree, {
    open: (node) => `{${facts(node)}${facts(node) === "" ? "" : ","}"children":[`,
    between: ",",
    close: () => "]}",
    leaf: (node) => `{${facts(node)}}`,
  }).concat("\n");
}

interface Notation {
  readonly open: (node: Hierarchy) => string;
  readonly between: string;
  readonly close: (node: Hierarchy) => string;
  readonly leaf: (node: Hierarchy) => string;
}

function written(tree: Hierarchy, notation: Notation): string {
  const pieces: string[] = [];
  const path: { readonly node: Hierarchy; next: number }[] = [{ node: tree, next: 0 }];
  for (let top = path.at(-1); top; top = path.at(-1)) {
    const { node } = top;
    const children = node.children ?? [];
    if (children.length === 0) pieces.push(notation.leaf(node));
    else if (top.next === 0) pieces.push(notation.open(node));
    if (top.next < children.length) {
      if (top.next > 0) pieces.push(notation.between);
      path.push({ node: children[top.next++]!, next: 0 });
      continue;
    }
    if (children.length > 0) pieces.push(notation.close(node));
    path.pop();
  }
  return pieces.join("");
}

/* Splits a Newick file into tokens: punctuation, names and branch lengths. Blanks and [comments] are skipped. */

interface NewickWords {
  next(): string | undefined;
  pass(): void;
  label(): { id?: string; length?: number };
  rest(): string;
  failure(what: string, remedy: string): CoterieError;
}

function newickWords(text: string, file: string): NewickWords {
  let p = 0;
  const fail = (what: string, remedy: string, at: number) => badInput(`${what} at character ${at + 1}.`, { file, remedy });

  const next = () => {
    for (;;) {
      while (p < text.length && /\s/.test(text[p]!)) p++;
      if (text[p] !== "[") return text[p];
      const close = text.indexOf("]", p);
      if (close < 0) throw fail("A comment opens and is never closed", "Close it with ].", p);
      p = close + 1;
    }
  };
  const quotedName = (): string => {
    const end = endOfQuoted(text, p);
    if (end < 0) throw fail("A quote opens and is never closed", "Close it, or double it inside a quoted name.", p);
    const quote = text[p]!;
    const name = text.slice(p + 1, end - 1).replaceAll(quote + quote, quote);
    p = end;
    return name;
  };
  const bareName = (): string => {
    const from = p;
    while (p < text.length && !/[\s()[\]{},:;'"]/.test(text[p]!)) p++;
    return text.slice(from, p);
  };
  const branchLength = (): number => {
    const from = p;
    while (p < text.length && /[0-9eE.+-]/.test(text[p]!)) p++;
    const length = p > from ? Number(text.slice(from, p)) : Number.NaN;
    if (!Number.isFinite(length)) throw fail("A branch length is not a number", "Write :NUMBER.", from);
    return length;
  };

  return {
    next,
    pass() {
      p++;
    },
    label() {
      const first = next();
      const quoted = first === "'" || first === '"';
      const id = quoted ? quotedName() : bareName();
      const named = quoted || id !== "" ? { id } : {};
      if (next() !== ":") return named;
      p++;
      next();
      return { ...named, length: branchLength() };
    },
    rest() {
      next();
      return text.slice(p);
    },
    failure: (what, remedy) => fail(what, remedy, p),
  };
}

/**
 * Returns the position after the closing quote of the text at `from`. Doubled quotes do not close the text. Returns -1 if there is no
 * closing quote.
 */
function endOfQuoted(text: string, from: number): number {
  const quote = text[from]!;
  for (let p = text.indexOf(quote, from + 1); p >= 0; p = text.indexOf(quote, p + 2)) {
    if (text[p + 1] !== quote) return p + 1;
  }
  return -1;
}

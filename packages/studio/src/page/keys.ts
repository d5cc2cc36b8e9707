/** Keys of the studio: names of key presses, which part of the page acts on them, and the list that the help shows. */
import { ODD_KEYS, ODD_WORD, QUESTION_KEYS } from "@coterie/workbench/protocol";
import { useEffect, useRef } from "react";

interface Press {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** "Ctrl+K", "Shift+C", "s", "?", "ArrowLeft". The Command key of a Mac counts as Ctrl. */
export function keyName({ key, ctrlKey, metaKey, altKey, shiftKey }: Press): string {
  const isLetter = key.length === 1 && key.toLowerCase() !== key.toUpperCase();
  const name = isLetter ? (ctrlKey || metaKey || shiftKey ? key.toUpperCase() : key.toLowerCase()) : key === " " ? "Space" : key;
  const parts = [
    ctrlKey || metaKey ? "Ctrl+" : "",
    altKey ? "Alt+" : "",
    shiftKey && (isLetter || key.length > 1) ? "Shift+" : "",
  ];
  return `${parts.join("")}${name}`;
}

/** Whether a press is a single sign without Ctrl: those must not take letters from text fields. */
export function isSingle({ key, ctrlKey, metaKey, altKey }: Press): boolean {
  return key.length === 1 && !ctrlKey && !metaKey && !altKey;
}

function isTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && !["checkbox", "radio", "range", "button"].includes(target.type);
}

export type KeyMap = Readonly<Record<string, (() => void) | undefined>>;

let lettersOn = true;

export function setLetters(on: boolean): void {
  lettersOn = on;
}

/** Keys that work while a part of the page is there. The newest part hears first; "g m" is G, then M within two seconds. */
export function useKeys(map: KeyMap): void {
  const latest = useRef(map);
  latest.current = map;
  useEffect(() => {
    const handler = (name: string) => latest.current[name];
    handlers.push(handler);
    if (handlers.length === 1) listen(addEventListener);
    return () => {
      handlers.splice(handlers.indexOf(handler), 1);
      if (handlers.length === 0) listen(removeEventListener);
    };
  }, []);
}

const handlers: ((name: string) => (() => void) | undefined)[] = [];
function listen(change: typeof addEventListener): void {
  change("keydown", onKeyDown);
  for (const type of ["keydown", "keypress", "keyup"] as const) change(type, guardPress, true);
}

/** The element on which each key that is down went down. */
const downOn = new Map<string, EventTarget | null>();

/**
 * Enter and Space press the control on which they went down, once. A browser presses whatever has the focus when the default of the
 * key is due: a control to which the focus moved meanwhile, or the same control again while the key stays down.
 */
function guardPress(event: KeyboardEvent): void {
  if (event.key !== "Enter" && event.key !== " ") return;
  const { code, target } = event;
  if (event.type === "keydown" && !event.repeat) downOn.set(code, target);
  const isTyped = target instanceof HTMLTextAreaElement || (event.key === " " && isTextField(target));
  if (downOn.get(code) !== target || (event.repeat && !isTyped)) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
  if (event.type === "keyup") downOn.delete(code);
}

/** Keys that go on working while they are held down; any other key acts once a press. */
const REPEATING = new Set(["+", "=", "-", "[", "]"]);

let prefix: { readonly key: string; readonly until: number } | null = null;

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const name = keyName(event);
  if (isTextField(event.target) && (isSingle(event) || !event.ctrlKey) && event.key !== "Escape") return;
  if (isTextField(event.target) && name === "Ctrl+Z") return;
  if (isSingle(event) && !lettersOn) return;
  if (hasOpenWindow() && event.key !== "Escape") return;
  if (event.repeat && !REPEATING.has(name)) return;
  const names = prefix !== null && event.timeStamp < prefix.until ? [`${prefix.key} ${name}`, name] : [name];
  prefix = name === "g" ? { key: name, until: event.timeStamp + 2_000 } : null;
  for (const candidate of names)
    for (const handler of [...handlers].reverse()) {
      const act = handler(candidate);
      if (!act) continue;
      event.preventDefault();
      act();
      return;
    }
}

/** A window or an open menu takes all keys: a letter that looks for an item of a menu is no answer. */
function hasOpenWindow(): boolean {
  return document.querySelector("[aria-modal=true], .menu.floating") !== null;
}

/** A word of the key map as a button shows it: "Don’t know". */
export function keyTitle(word: string): string {
  return `${word[0]!.toUpperCase()}${word.slice(1)}`.replace("'", "’");
}

const { same, different, unsure, undo, help, stop } = QUESTION_KEYS;
const caps = (...keys: readonly { readonly key: string }[]) => keys.map(({ key }) => key.toUpperCase()).join(" ");

/** All keys, for the help. */
export const KEY_LIST: readonly (readonly [string, string])[] = [
  ["Ctrl K", "find a row or command"],
  [caps(same, different), `${same.word}, ${different.word}`],
  [`${ODD_KEYS.join(" ").toUpperCase()}, or 1 2 3`, `${ODD_WORD} of three rows in Ask`],
  [caps(unsure), unsure.word.replace("'", "’")],
  ["O, then 1 2 3", `${ODD_WORD} of three picked rows on the map`],
  ["B", "label the picked rows"],
  [`${caps(undo)}, Ctrl Z`, `${undo.word} the last answer`],
  ["Ctrl Shift Z", "redo"],
  [help.key, "this list"],
  [caps(stop), `${stop.word} the questions in Ask`],
  ["Ctrl Enter", "run"],
  ["Esc", "cancel, close, clear"],
  ["Arrows", "next, previous in a list; nearest row on the map"],
  ["Space", "pick the row under the cursor"],
  ["Delete", "drop the chosen answer"],
  ["V L E H", "select, lasso, link, pan"],
  ["F + −", "fit the map, zoom in, zoom out"],
  ["T", "show a chart as a table"],
  ["[ ]", "cut lower, higher in the dendrogram"],
  ["X", "swap before and after in Compare"],
  ["Shift C, Shift T", "copy as command, as TypeScript"],
  ["G then M A C U", "go to Map, Ask, Compare, Understand"],
];

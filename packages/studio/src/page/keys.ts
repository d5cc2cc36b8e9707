/** The keys of the studio: the name of a key press, key handlers, and the list of keys for the help. */
import { ODD_KEYS, ODD_WORD, QUESTION_KEYS } from "@coterie/workbench/protocol";
import { useEffect, useRef } from "react";

interface Press {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** The name of a key press: "Ctrl+K", "Shift+C", "s", "?", "ArrowLeft". The Command key of a Mac counts as Ctrl. */
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

/** Whether a key press is a single character without Ctrl or Alt. Such key presses must not act while the user types in a text field. */
export function isSingle({ key, ctrlKey, metaKey, altKey }: Press): boolean {
  return key.length === 1 && !ctrlKey && !metaKey && !altKey;
}

function isTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && !["checkbox", "radio", "range", "button"].includes(target.type);
}

let lettersOn = true;

export function setLetters(on: boolean): void {
  lettersOn = on;
}

/**
 * Registers key handlers while a component is mounted. If several components handle a key, the newest component gets it. "g m" means G,
 * then M within two seconds.
 */
export function useKeys(map: Readonly<Record<string, (() => void) | undefined>>): void {
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

const downOn = new Map<string, EventTarget | null>();

/**
 * Enter and Space click a control only if the key was pressed down on the same control, and only once while the key is held. Otherwise a
 * key press that moves the focus would also click the newly focused control.
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

/** Keys that act again while they are held down. Every other key acts once per press. */
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

/** Whether a dialog or a menu is open. It then gets all keys: a letter that searches in a menu must not give an answer. */
function hasOpenWindow(): boolean {
  return document.querySelector("[aria-modal=true], .menu.floating") !== null;
}

export function keyTitle(word: string): string {
  return `${word[0]!.toUpperCase()}${word.slice(1)}`.replace("'", "’");
}

const { same, different, unsure, undo, help, stop } = QUESTION_KEYS;
const caps = (...keys: readonly { readonly key: string }[]) => keys.map(({ key }) => key.toUpperCase()).join(" ");

export const KEY_LIST: readonly (readonly [string, string])[] = [
  ["Ctrl K", "search for a row or command"],
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
  ["Arrows", "next or previous item in a list; nearest row on the map"],
  ["Space", "pick the row under the cursor"],
  ["Delete", "drop the chosen answer"],
  ["V L E H", "select, lasso, link, pan"],
  ["F + −", "fit the map, zoom in, zoom out"],
  ["T", "show a chart as a table"],
  ["[ ]", "lower or raise the cut in the dendrogram"],
  ["X", "swap the two runs in Compare"],
  ["Shift C, Shift T", "copy the run as a command, as TypeScript"],
  ["G then M A C U", "go to Map, Ask, Compare, Understand"],
];

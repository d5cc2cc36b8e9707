/** Keys of the studio: names of key presses, who hears them, and the list that the help shows. */
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
    if (handlers.length === 1) addEventListener("keydown", onKeyDown);
    return () => {
      handlers.splice(handlers.indexOf(handler), 1);
      if (handlers.length === 0) removeEventListener("keydown", onKeyDown);
    };
  }, []);
}

const handlers: ((name: string) => (() => void) | undefined)[] = [];
let prefix: { readonly key: string; readonly until: number } | null = null;

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const name = keyName(event);
  if (isTextField(event.target) && (isSingle(event) || !event.ctrlKey) && event.key !== "Escape") return;
  if (isTextField(event.target) && name === "Ctrl+Z") return;
  if (isSingle(event) && !lettersOn) return;
  if (isModal() && event.key !== "Escape") return;
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

function isModal(): boolean {
  return document.querySelector("[aria-modal=true]") !== null;
}

/** All keys, for the help. */
export const KEY_LIST: readonly (readonly [string, string])[] = [
  ["Ctrl K", "find a row or command"],
  ["S D", "same, different"],
  ["O, then 1 2 3", "odd one out, of three picked rows"],
  ["B", "label the picked rows"],
  ["?", "don’t know in Ask; else this list"],
  ["U, Ctrl Z", "undo the last answer"],
  ["Ctrl Shift Z", "redo"],
  ["Ctrl Enter", "run"],
  ["Esc", "cancel, close, clear"],
  ["Arrows", "next, previous in a list; nearest row on the map"],
  ["Space", "pick the row under the cursor"],
  ["Delete", "drop the chosen answer"],
  ["V L K H", "select, lasso, link, pan"],
  ["F + −", "fit the map, zoom in, zoom out"],
  ["T", "show a chart as a table"],
  ["[ ]", "cut lower, higher in the dendrogram"],
  ["X", "swap before and after in Compare"],
  ["Shift C, Shift T", "copy as command, as TypeScript"],
  ["G then M A C U", "go to Map, Ask, Compare, Understand"],
];

/**
 * A small document that builds SVG, for Observable Plot and for all figures, with or without a browser.
 *
 * Plot creates elements through a DOM document, but uses only a dozen of its members. This replacement implements these members without a
 * browser, rounds lengths to hundredths of a pixel, and escapes all text in one place.
 */
import { escapeText } from "../layout/text.js";

const SVG = "http://www.w3.org/2000/svg";
const LENGTHS = new Set([
  "x",
  "y",
  "x1",
  "y1",
  "x2",
  "y2",
  "cx",
  "cy",
  "dx",
  "dy",
  "r",
  "width",
  "height",
  "d",
  "transform",
  "points",
]);

export type SvgChild = SvgElement | string;
export type Attributes = Readonly<Record<string, string | number | undefined>>;

export class SvgElement {
  readonly namespaceURI = SVG;
  readonly childNodes: SvgChild[] = [];
  readonly #attributes = new Map<string, string>();
  parentNode: SvgElement | null = null;

  constructor(readonly nodeName: string) {}

  get ownerDocument(): typeof svgDocument {
    return svgDocument;
  }

  setAttribute(name: string, value: unknown): void {
    const text = String(value);
    this.#attributes.set(name, LENGTHS.has(name) ? rounded(text) : text);
  }

  getAttribute(name: string): string | null {
    return this.#attributes.get(name) ?? null;
  }

  hasAttribute(name: string): boolean {
    return this.#attributes.has(name);
  }

  removeAttribute(name: string): void {
    this.#attributes.delete(name);
  }

  appendChild<Child extends SvgElement>(child: Child): Child {
    return this.insertBefore(child, null);
  }

  insertBefore<Child extends SvgElement>(child: Child, next: SvgElement | null): Child {
    child.parentNode?.removeChild(child);
    const at = next === null ? -1 : this.childNodes.indexOf(next);
    if (at < 0) this.childNodes.push(child);
    else this.childNodes.splice(at, 0, child);
    child.parentNode = this;
    return child;
  }

  removeChild<Child extends SvgElement>(child: Child): Child {
    const at = this.childNodes.indexOf(child);
    if (at >= 0) this.childNodes.splice(at, 1);
    child.parentNode = null;
    return child;
  }

  set textContent(text: string) {
    this.childNodes.length = 0;
    if (text !== "") this.childNodes.push(String(text));
  }

  get textContent(): string {
    return this.childNodes.map((child) => (typeof child === "string" ? child : child.textContent)).join("");
  }

  /** Returns the element as SVG source. All text is escaped except style sheets, which never contain data. */
  serialise(): string {
    const parts: string[] = [];
    write(this, parts);
    return parts.join("");
  }

  attributes(): IterableIterator<[string, string]> {
    return this.#attributes.entries();
  }
}

function write(element: SvgElement, parts: string[]): void {
  parts.push("<", element.nodeName);
  for (const [name, value] of element.attributes()) parts.push(" ", name, '="', escapeText(value), '"');
  if (element.childNodes.length === 0) {
    parts.push("/>");
    return;
  }
  parts.push(">");
  for (const child of element.childNodes) {
    if (typeof child !== "string") write(child, parts);
    else parts.push(element.nodeName === "style" ? child : escapeText(child));
  }
  parts.push("</", element.nodeName, ">");
}

function rounded(text: string): string {
  return text.replace(/-?(?:(?<!\d)\d+)?\.\d+(?:e[+-]?\d+)?/g, (number) => String(Math.round(Number(number) * 100) / 100 + 0));
}

export const svgDocument = {
  createElementNS: (_namespace: string, name: string) => new SvgElement(name),
  createElement: (name: string) => new SvgElement(name),
  documentElement: new SvgElement("svg"),
};

/** Creates an element with its attributes and children. Undefined attributes and null children are left out. */
export function svg(name: string, attributes: Attributes, ...children: readonly (SvgChild | null | undefined)[]): SvgElement {
  const element = new SvgElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) element.setAttribute(key, value);
  for (const child of children) {
    if (child === null || child === undefined) continue;
    if (typeof child === "string") element.childNodes.push(child);
    else element.appendChild(child);
  }
  return element;
}

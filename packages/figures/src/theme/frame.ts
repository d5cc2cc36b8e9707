/** Parts of every figure: the SVG element, title and description, and marks drawn by Observable Plot. */
import * as Plot from "@observablehq/plot";
import { counted } from "../layout/text.js";
import { type SvgChild, type SvgElement, svg, svgDocument } from "./svg-document.js";
import { autoTokens, clusterName, type Paint, painter, SANS, type Theme } from "./theme.js";

export interface FigureSize {
  readonly width?: number;
  readonly height?: number;
  /** The theme that gives the colours; default `light`. */
  readonly theme?: Theme;
}

export interface FrameOptions {
  readonly width: number;
  readonly height: number;
  readonly theme: Theme;
  readonly title: string;
  readonly description: string;
  /** Empty space around the figure, in pixels; default 0. */
  readonly pad?: number;
}

export function frame(options: FrameOptions, content: readonly SvgChild[]): string {
  const { theme, title, description } = options;
  const paint = painter(theme);
  const pad = theme === "inherit" ? 0 : (options.pad ?? 0);
  const width = round(options.width + 2 * pad);
  const height = round(options.height + 2 * pad);
  return svg(
    "svg",
    {
      // The namespace is needed in an SVG file, but not inside an HTML page.
      xmlns: theme === "inherit" ? undefined : "http://www.w3.org/2000/svg",
      class: "coterie-figure",
      viewBox: `${-pad} ${-pad} ${width} ${height}`,
      width,
      height,
      role: "img",
      "font-family": SANS,
      "font-size": 11,
      fill: paint("ink"),
    },
    svg("title", {}, title),
    svg("desc", {}, description),
    theme === "auto" ? svg("style", {}, autoTokens(".coterie-figure")) : null,
    theme === "inherit" ? null : svg("rect", { x: -pad, y: -pad, width, height, fill: paint("canvas") }),
    ...content,
  ).serialise();
}

function round(length: number): number {
  return Math.round(length * 100) / 100;
}

export interface PlotFrame {
  readonly width: number;
  readonly height: number;
  readonly marginLeft: number;
  readonly marginRight: number;
  readonly marginTop: number;
  readonly marginBottom: number;
}

/** Lets Observable Plot draw marks, and returns them as a group at (x, y), without Plot's own SVG element and style sheet. */
export function plotted(options: Plot.PlotOptions & PlotFrame, x = 0, y = 0): SvgElement {
  const drawn = Plot.plot({ ...options, document: svgDocument as unknown as Document }) as unknown as SvgElement;
  const group = svg("g", { transform: x === 0 && y === 0 ? undefined : `translate(${x},${y})`, "text-anchor": "middle" });
  for (const child of [...drawn.childNodes]) {
    if (typeof child !== "string" && child.nodeName !== "style") group.appendChild(child);
  }
  return group;
}

/** An option for a mark of Plot that names the mark's group in the SVG. By default, Plot uses names such as `dot` or `link`. */
export function named(name: string): { render: Plot.RenderFunction } {
  return {
    render(index, scales, values, dimensions, context, next) {
      const drawn = next!(index, scales, values, dimensions, context);
      drawn?.setAttribute("aria-label", name);
      return drawn;
    },
  };
}

export interface TextStyle {
  readonly size?: number;
  readonly weight?: number;
  readonly anchor?: "start" | "middle" | "end";
  readonly fill?: string;
  readonly transform?: string;
  /** The colour of a rim around the text. The rim keeps the text readable where it covers marks. */
  readonly rim?: string;
}

export function label(x: number, y: number, text: string, style: TextStyle = {}, ...more: readonly SvgChild[]): SvgElement {
  return svg(
    "text",
    {
      x,
      y,
      "font-size": style.size === 11 ? undefined : style.size,
      "font-weight": style.weight,
      "text-anchor": style.anchor === "start" ? undefined : style.anchor,
      fill: style.fill,
      transform: style.transform,
      ...(style.rim === undefined
        ? {}
        : { stroke: style.rim, "stroke-width": 3, "stroke-linejoin": "round", "paint-order": "stroke" }),
    },
    text,
    ...more,
  );
}

export function captions(lines: readonly string[], x: number, y: number, paint: Paint): SvgElement[] {
  return lines.map((line, at) => label(x, y + 16 * at, line, { fill: paint("ink-3") }));
}

export function sizesOf(labels: ArrayLike<number>): { readonly sizes: number[]; readonly none: number } {
  const sizes: number[] = [];
  let none = 0;
  for (let i = 0; i < labels.length; i++) {
    const cluster = labels[i]!;
    if (cluster < 0) none++;
    else {
      while (sizes.length <= cluster) sizes.push(0);
      sizes[cluster]!++;
    }
  }
  return { sizes, none };
}

/**
 * Says cluster sizes in words: `0 with 50 rows, 1 with 49 rows`. Only the first twelve clusters are named; the number of further clusters
 * follows.
 */
export function sizesInWords(sizes: readonly number[], names?: readonly string[]): string {
  const shown = sizes.slice(0, 12).map((size, cluster) => `${clusterName(cluster, names)} with ${counted(size, "row")}`);
  if (sizes.length > 12) shown.push(`and ${sizes.length - 12} more`);
  return shown.join(", ");
}

/** Hexagons on their canvas. Paths are made once a level; moving the map only moves them. */
import { useMemo } from "react";
import type { Groups } from "../state/groups.js";
import { colourOf } from "../ui/shapes.js";
import { countHexagons, type HexagonLevel, hexagonPath, levelOf } from "./hexagons.js";
import { css, FIRST_STEP, type Palette } from "./palette.js";
import { type Box, toScreen, type View } from "./view.js";

const SHADES = 8;

interface Batch {
  readonly colour: number;
  readonly alpha: number;
  readonly path: Path2D;
}

export interface DrawnHexagons extends HexagonLevel {
  readonly batches: readonly Batch[];
}

export function useHexagons(wanted: boolean, xy: Float32Array, groups: Groups, view: View): DrawnHexagons | null {
  const level = levelOf(view);
  const aspect = Math.round((1000 * view.ky) / view.kx);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view matters only by its level and its aspect
  return useMemo(() => {
    if (!wanted) return null;
    const counted = countHexagons(xy, groups.slots, view, level);
    return { ...counted, batches: batchesOf(counted, groups.kind === "steps") };
  }, [wanted, xy, groups, level, aspect]);
}

/** Hexagons of one colour and shade are one path. */
function batchesOf({ hexagons, most }: HexagonLevel, isStep: boolean): readonly Batch[] {
  const batches = new Map<number, Batch>();
  for (const { x, y, count, slot } of hexagons) {
    const shade = Math.max(1, Math.ceil(Math.sqrt(count / most) * SHADES));
    const colour = slot < 0 ? -1 : isStep ? FIRST_STEP + slot : colourOf(slot);
    const key = (colour + 1) * (SHADES + 1) + shade;
    const batch = batches.get(key) ?? { colour, alpha: 0.12 + (0.78 * shade) / SHADES, path: new Path2D() };
    batches.set(key, batch);
    hexagonPath(batch.path, x, y);
  }
  return [...batches.values()];
}

export function drawHexagons(
  canvas: HTMLCanvasElement,
  drawn: DrawnHexagons | null,
  view: View,
  box: Box,
  ratio: number,
  palette: Palette,
): void {
  const context = canvas.getContext("2d")!;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  if (!drawn) return;
  const [x, y] = toScreen(view, box, 0, 0);
  context.setTransform((ratio * view.kx) / drawn.kx, 0, 0, (ratio * view.ky) / drawn.ky, x * ratio, y * ratio);
  for (const { colour, alpha, path } of drawn.batches) {
    context.fillStyle = css(colour < 0 ? palette.count : palette.marks[colour]!, alpha);
    context.fill(path);
  }
}

/** Hexagons on their canvas. Rows are counted once a level, in turns of their own; moving the map only moves the stamps. */
import { nextTurn } from "@coterie/data/browser";
import { useEffect, useState } from "react";
import type { Groups } from "../../state/groups.js";
import { type Box, toScreen, type View } from "../../state/view.js";
import { colourOf } from "../../ui/shapes.js";
import { css, FIRST_STEP, type Palette } from "./colours.js";
import { HEXAGON, type HexagonLevel, hexagonPath, hexagonSteps, levelOf, tileOf } from "./hexagons.js";

const SHADES = 8;

export interface DrawnHexagons extends HexagonLevel {
  /** Whether groups are steps of a number. */
  readonly steps: boolean;
}

export function useHexagons(wanted: boolean, xy: Float32Array, groups: Groups, view: View, box: Box): DrawnHexagons | null {
  const level = levelOf(view);
  const tile = tileOf(view, box, level);
  const word = wanted ? `${level} ${Math.round((1000 * view.ky) / view.kx)} ${Object.values(tile).join(" ")}` : "";
  const [counted, setCounted] = useState<{ readonly xy: Float32Array; readonly drawn: DrawnHexagons } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view matters only by its level, its aspect and its tile
  useEffect(() => {
    if (word === "") return;
    let isOver = false;
    const count = async () => {
      const steps = hexagonSteps(xy, groups.slots, view, level, tile);
      for (let step = steps.next(); !isOver; step = steps.next()) {
        if (step.done) return setCounted({ xy, drawn: { ...step.value, steps: groups.kind === "steps" } });
        await nextTurn();
      }
    };
    void count();
    return () => {
      isOver = true;
    };
  }, [xy, groups, word]);
  // Until a new level is counted, the one before is drawn larger or smaller.
  return wanted && counted?.xy === xy ? counted.drawn : null;
}

/** How strong a hexagon of so many rows is, in steps from 1. */
function shadeOf(count: number, most: number): number {
  return Math.max(1, Math.ceil(Math.sqrt(count / most) * SHADES));
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
  const [originX, originY] = toScreen(view, box, 0, 0);
  const [sx, sy] = [(ratio * view.kx) / drawn.kx, (ratio * view.ky) / drawn.ky];
  const stamps = stampsOf(palette, sx, sy);
  const half = stamps.size / 2;
  for (const { x, y, count, slot } of drawn.hexagons) {
    const [atX, atY] = [originX * ratio + x * sx - half, originY * ratio + y * sy - half];
    if (atX < -stamps.size || atY < -stamps.size || atX > canvas.width || atY > canvas.height) continue;
    const line = slot < 0 ? 0 : 1 + (drawn.steps ? FIRST_STEP + slot : colourOf(slot));
    const left = (shadeOf(count, drawn.most) - 1) * stamps.size;
    context.drawImage(stamps.canvas, left, line * stamps.size, stamps.size, stamps.size, atX, atY, stamps.size, stamps.size);
  }
}

interface Stamps {
  readonly canvas: OffscreenCanvas;
  readonly size: number;
}

/** A hexagon of each colour and shade, drawn once a frame and stamped for each that is in sight. */
function stampsOf(palette: Palette, sx: number, sy: number): Stamps {
  const size = Math.ceil(2 * HEXAGON * Math.max(sx, sy)) + 2;
  const colours = [palette.count, ...palette.marks];
  const canvas = new OffscreenCanvas(size * SHADES, size * colours.length);
  const context = canvas.getContext("2d")!;
  const path = new Path2D();
  hexagonPath(path, 0, 0);
  colours.forEach((colour, line) => {
    for (let shade = 1; shade <= SHADES; shade++) {
      context.setTransform(sx, 0, 0, sy, (shade - 0.5) * size, (line + 0.5) * size);
      context.fillStyle = css(colour, 0.12 + (0.78 * shade) / SHADES);
      context.fill(path);
    }
  });
  return { canvas, size };
}

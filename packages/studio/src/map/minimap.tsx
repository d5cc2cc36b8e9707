/** All rows in a corner, with the window over them. */
import { colourOf } from "@coterie/figures/layout";
import { useEffect, useMemo, useRef } from "react";
import type { Groups } from "../state/groups.js";
import type { Layout } from "../state/model.js";
import { boundsOf, toData, toScreen } from "../state/view.js";
import { css } from "./drawing/colours.js";
import { usePalette } from "./drawing/palette.js";
import { isEqualScale, scattered } from "./naming.js";
import type { PlotHandle } from "./plot.js";

const MOST_SHOWN = 5_000;
const SIZE = { width: 136, height: 104 };
/** The corner that it takes, with room for the ring and the name of a row. */
const ROOM = { width: SIZE.width + 48, height: SIZE.height + 72 };

export function Minimap({
  layout,
  groups,
  window: { view, box },
  rows = [],
}: {
  readonly layout: Layout;
  readonly groups: Groups;
  readonly window: PlotHandle;
  /** Rows that it may not lie on: it goes to the upper corner then. */
  readonly rows?: readonly number[];
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const palette = usePalette();
  const small = useMemo(() => {
    const { minX, maxX, minY, maxY } = boundsOf(layout.xy);
    const [kx, ky] = [(SIZE.width - 16) / (maxX - minX || 1), (SIZE.height - 16) / (maxY - minY || 1)];
    const k = Math.min(kx, ky);
    return { x: (minX + maxX) / 2, y: (minY + maxY) / 2, ...(isEqualScale(layout) ? { kx: k, ky: k } : { kx, ky }) };
  }, [layout]);
  const [left, top] = toScreen(small, SIZE, ...toData(view, box, 0, 0));
  const [right, bottom] = toScreen(small, SIZE, ...toData(view, box, box.width, box.height));
  const isPart = left > 0 || top > 0 || right < SIZE.width || bottom < SIZE.height;
  useEffect(() => {
    const context = isPart ? canvas.current?.getContext("2d") : null;
    if (!context) return;
    context.clearRect(0, 0, 2 * SIZE.width, 2 * SIZE.height);
    const shown = Math.min(layout.n, MOST_SHOWN);
    for (let i = 0; i < shown; i++) {
      const row = shown === layout.n ? i : scattered(i, layout.n);
      const [x, y] = toScreen(small, SIZE, layout.xy[2 * row]!, layout.xy[2 * row + 1]!);
      context.fillStyle = css(palette.marks[colourOf(groups.slots[row] ?? -1)]!);
      context.fillRect(2 * x - 1.5, 2 * y - 1.5, 3, 3);
    }
  }, [isPart, layout, groups, palette, small]);
  if (!isPart) return null;
  const isOver = rows.some((row) => {
    const [x, y] = toScreen(view, box, layout.xy[2 * row]!, layout.xy[2 * row + 1]!);
    return x > box.width - ROOM.width && y > box.height - ROOM.height;
  });
  return (
    <div className={`minimap on-map ${isOver ? "upper" : ""}`} aria-hidden="true">
      <canvas ref={canvas} width={2 * SIZE.width} height={2 * SIZE.height} />
      <svg aria-hidden="true" viewBox={`0 0 ${SIZE.width} ${SIZE.height}`}>
        <rect x={left} y={top} width={Math.max(0, right - left)} height={Math.max(0, bottom - top)} className="minimap-window" />
      </svg>
    </div>
  );
}

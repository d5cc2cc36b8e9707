/** The map with its tools, its legend and what floats over it. */

import { rowsOf as idsOf } from "@coterie/workbench/protocol";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { tell, useProject, useSession, useStudio } from "../page/context.js";
import { useKeys } from "../page/keys.js";
import { onRowPick } from "../page/row-pick.js";
import { useGroups, useLinks } from "../page/shown.js";
import { layersOf, type MapLink, manyAtRest, NOTHING_LIT, pathOf } from "../state/links.js";
import { idOf, rowsOf } from "../state/lookups.js";
import type { Layout } from "../state/model.js";
import { type Box, toScreen, type View, withInSight, zoomed } from "../state/view.js";
import { Waiting } from "../ui/waiting.js";
import { Bubble, BubbleBox, useHasBubble } from "./bubble.js";
import { css } from "./drawing/colours.js";
import { sizeCanvas, stylesOf } from "./drawing/marks.js";
import { usePalette } from "./drawing/palette.js";
import { Legend } from "./legend.js";
import { namePlaces } from "./naming.js";
import { BrokenLink, Links, Names, Ring, restOf } from "./overlay.js";
import { type Direction, rowTowards } from "./places.js";
import { Plot, type PlotHandle } from "./plot.js";
import { RowCard } from "./row-card.js";
import { RowTable } from "./row-table.js";
import { MapTools } from "./tools.js";

/** Lines in one go, so that the page goes on in between, and how long the map must stand still before. */
const AT_ONCE = 300;

const STILL_MS = 80;

const DASHES = { must: [], cannot: [4, 3], relative: [1, 3] } as const;

interface Drawer {
  readonly open: boolean;
  readonly toggle: () => void;
}

export function MapStage({ drawer }: { readonly drawer: Drawer }) {
  const { layout, table } = useProject((state) => ({ layout: state.layout, table: state.table }));
  const [view, setView] = useState<View | null>(null);
  const handle = useRef<PlotHandle | null>(null);
  const { store } = useSession();
  const { app } = useStudio();
  const hasBubble = useHasBubble();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new layout has new coordinates, so the old view means nothing
  useEffect(() => setView(null), [layout]);
  const zoom = (factor: number) => handle.current && setView(zoomed(handle.current.view, handle.current.box, factor));
  useKeys({
    f: () => setView(null),
    "+": () => zoom(1.5),
    "=": () => zoom(1.5),
    "-": () => zoom(1 / 1.5),
    v: () => store.set({ tool: "select" }),
    l: () => store.set({ tool: "lasso" }),
    e: () => store.set({ tool: "link" }),
    h: () => store.set({ tool: "pan" }),
    b: () => {
      if (store.get().picks.length > 0) store.set({ labelling: true });
      else tell(app, "Pick rows first; then B labels them");
    },
  });
  return (
    <main className="stage">
      <MapTools onZoom={zoom} onFit={() => setView(null)} drawer={drawer} />
      {table ? (
        <div className="rows-area">
          <RowTable />
          {hasBubble && <BubbleBox />}
        </div>
      ) : layout ? (
        <LiveMap view={view} onView={setView} handle={handle} />
      ) : (
        <Waiting>Drawing the map</Waiting>
      )}
      <Legend />
    </main>
  );
}

interface LiveMapProps {
  readonly view: View | null;
  readonly onView: (view: View) => void;
  readonly handle: React.RefObject<PlotHandle | null>;
}

function LiveMap({ view, onView, handle }: LiveMapProps) {
  const session = useSession();
  const { store, actions } = session;
  const parts = useProject(({ layout, tool, picks, hovered, chosen, lit, only, marks, cursor, knowledge, rowOf }) => ({
    layout,
    tool,
    picks,
    hovered,
    chosen,
    lit,
    only,
    marks,
    cursor,
    knowledge,
    rowOf,
  }));
  const layout = parts.layout!;
  const hasBubble = useHasBubble();
  const groups = useGroups();
  const { links, known } = useLinks();
  const styles = useMemo(() => stylesOf(groups, { known, only: parts.only }), [groups, known, parts.only]);
  const places = useMemo(() => namePlaces(groups, layout), [groups, layout]);
  const chosenRows = useMemo(() => {
    const standing = parts.knowledge.constraints.find(({ entry }) => entry === parts.chosen);
    return standing ? rowsOf({ rowOf: parts.rowOf }, idsOf(standing.constraint)) : [];
  }, [parts.knowledge, parts.chosen, parts.rowOf]);
  const near = useMemo(
    () => new Set([...parts.picks, ...chosenRows, ...(parts.hovered === null ? [] : [parts.hovered])]),
    [parts.picks, chosenRows, parts.hovered],
  );
  const many = useMemo(() => manyAtRest(links), [links]);
  const layers = useMemo(() => layersOf(links, near), [links, near]);
  const focused = links.find(({ entry, broken }) => broken && entry === parts.chosen);
  const lit = parts.lit ?? NOTHING_LIT;
  const events = useMapKeys(handle, onView);
  useFoundRows(handle, onView);
  const sideOf = (row: number): "start" | "end" => {
    const others = parts.picks.filter((other) => other !== row).map((other) => layout.xy[2 * other]!);
    return others.length > 0 && others.every((x) => x >= layout.xy[2 * row]!) ? "end" : "start";
  };
  const ring = (row: number, kind: "pick" | "lit" | "cursor", window: PlotHandle) => (
    <Ring
      key={`${kind} ${row}`}
      row={row}
      slot={groups.slots[row] ?? -1}
      kind={kind}
      side={kind === "pick" ? sideOf(row) : "middle"}
      text={String(idOf(store.get(), row))}
      layout={layout}
      {...window}
    />
  );
  return (
    <div className="map-area" role="application" aria-label="Rows of the map: arrows move, Space picks" tabIndex={0} {...events}>
      <Plot
        layout={layout}
        groups={groups}
        styles={styles}
        label={`Map of ${layout.xy.length / 2} rows`}
        forceMarks={parts.marks}
        view={view}
        onView={onView}
        pointer={{
          tool: parts.tool,
          onPick: actions.pick,
          onMiss: actions.clear,
          onLasso: actions.pickAll,
          onLink: (a, b) => actions.pickAll([a, b]),
          onHover: (hovered) => store.set({ hovered }),
        }}
        {...(many.length > 0 ? { under: (window) => <ManyLinks links={many} layout={layout} {...window} /> } : {})}
        floating={(window) => (
          <>
            {hasBubble && <Bubble window={window} layout={layout} names={places} />}
            {parts.hovered !== null && parts.picks.length < 2 && <RowCard row={parts.hovered} window={window} layout={layout} />}
          </>
        )}
      >
        {(window) => {
          handle.current = window;
          return (
            <>
              <Links layers={layers} layout={layout} {...window} />
              {lit.links.map((link) => (
                <path
                  key={`${link.a} ${link.b}`}
                  className={`link near ${link.kind === "broken" ? "broken full dashed" : link.kind}`}
                  d={pathOf([link], layout.xy, window.view, window.box)}
                />
              ))}
              {focused && <BrokenLink link={focused} layout={layout} {...window} />}
              {lit.rows.slice(0, 500).map((row) => ring(row, "lit", window))}
              {!focused && chosenRows.map((row) => ring(row, "cursor", window))}
              {parts.cursor !== null && parts.cursor < layout.n && (
                <Ring row={parts.cursor} slot={-1} kind="cursor" layout={layout} {...window} />
              )}
              {parts.picks.length <= 60 && parts.picks.map((row) => ring(row, "pick", window))}
              <Names groups={groups} places={places} layout={layout} {...window} />
            </>
          );
        }}
      </Plot>
      <CursorWords />
    </div>
  );
}

const DIRECTIONS: Readonly<Record<string, Direction>> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
};

/** Tab enters at the first problem, arrows move to the nearest row that way, Space picks it. */
function useMapKeys(handle: React.RefObject<PlotHandle | null>, onView: (view: View) => void) {
  const { store, actions } = useSession();
  const { links } = useLinks();
  const go = (row: number) => {
    const { layout } = store.get();
    const window = handle.current;
    if (row < 0 || !layout) return;
    store.set({ cursor: row });
    if (window) onView(withInSight(window.view, window.box, layout.xy[2 * row]!, layout.xy[2 * row + 1]!));
  };
  const onFocus = (event: React.FocusEvent) => {
    if (event.target !== event.currentTarget || store.get().cursor !== null) return;
    store.set({ cursor: links.find(({ broken }) => broken)?.a ?? links[0]?.a ?? 0 });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const { cursor, layout } = store.get();
    const direction = DIRECTIONS[event.key];
    if (direction && layout && handle.current) {
      event.preventDefault();
      go(cursor === null ? 0 : rowTowards(layout.xy, cursor, direction, handle.current.view));
    } else if (event.key === " " && cursor !== null) {
      event.preventDefault();
      actions.pick(cursor, event.shiftKey);
    }
  };
  return { onFocus, onKeyDown };
}

/** A row that was found elsewhere is picked here. */
function useFoundRows(handle: React.RefObject<PlotHandle | null>, onView: (view: View) => void): void {
  const { id, actions, store } = useSession();
  const latest = useRef(onView);
  latest.current = onView;
  useEffect(
    () =>
      onRowPick(id, (row) => {
        if (!store.get().picks.includes(row)) actions.pick(row, false);
        const { layout } = store.get();
        const window = handle.current;
        if (layout && window) latest.current(withInSight(window.view, window.box, layout.xy[2 * row]!, layout.xy[2 * row + 1]!));
      }),
    [id, actions, store, handle],
  );
}

/** The row under the cursor, for those who hear the page. */
function CursorWords() {
  const groups = useGroups();
  const words = useProject((state) => {
    const { cursor, picks } = state;
    if (cursor === null) return "";
    const group = groups.groups.find(({ slot }) => slot === groups.slots[cursor]);
    const where = group ? `, in ${[group.letter, group.name].filter((part) => part !== "").join(" ")}` : "";
    return `Row ${idOf(state, cursor)}${where}${picks.includes(cursor) ? ", picked" : ""}`;
  });
  return (
    <span className="heard" aria-live="polite">
      {words}
    </span>
  );
}

/*
 * Thousands of links at rest, on a canvas under the rows. As lines of the page they would be drawn anew whenever anything over them
 * changes, and dashes in such numbers hold up the browser for seconds.
 */

interface ManyLinksProps {
  readonly links: readonly MapLink[];
  readonly layout: Layout;
  readonly view: View;
  readonly box: Box;
}

function ManyLinks({ links, layout: { xy }, view, box }: ManyLinksProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const palette = usePalette();
  useEffect(() => {
    const ratio = window.devicePixelRatio || 1;
    const element = canvas.current!;
    sizeCanvas(element, box, ratio);
    // Drawn by the processor: graphics without hardware take seconds for dashes.
    const context = element.getContext("2d", { willReadFrequently: true })!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, box.width, box.height);
    context.strokeStyle = css(palette.ink);
    let [next, frame] = [0, 0];
    const step = () => {
      for (const end = Math.min(links.length, next + AT_ONCE); next < end; next++) drawLink(context, links[next]!, xy, view, box);
      if (next < links.length) frame = requestAnimationFrame(step);
      else element.dataset.drawn = "links";
    };
    delete element.dataset.drawn;
    const timer = setTimeout(step, STILL_MS);
    return () => {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
    };
  }, [links, xy, view, box, palette]);
  const opacity = 0.4 * restOf({ must: links, cannot: [], relative: [] });
  return <canvas ref={canvas} className="plot-canvas" style={{ opacity }} aria-hidden="true" />;
}

/** A line on its own is what browsers dash fastest. */
function drawLink(context: CanvasRenderingContext2D, { a, b, kind }: MapLink, xy: Float32Array, view: View, box: Box): void {
  const [x1, y1] = toScreen(view, box, xy[2 * a]!, xy[2 * a + 1]!);
  const [x2, y2] = toScreen(view, box, xy[2 * b]!, xy[2 * b + 1]!);
  if (Math.max(x1, x2) < 0 || Math.min(x1, x2) > box.width || Math.max(y1, y2) < 0 || Math.min(y1, y2) > box.height) return;
  context.setLineDash([...DASHES[kind]]);
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

/** The map with its tools, its legend, and the bubble for answers. */

import { formatCount, formatFixed } from "@coterie/figures/layout";
import { rowsOf as idsOf, QUESTION_KEYS } from "@coterie/workbench/protocol";
import { type KeyboardEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { tell, useProject, useSession, useStudio } from "../page/context.js";
import { keyTitle, useKeys } from "../page/keys.js";
import { onRowPick } from "../page/row-pick.js";
import { useGroups, useLinks } from "../page/shown.js";
import { relationOf, settledBySame } from "../state/knowledge.js";
import { layersOf, type MapLink, manyAtRest, NOTHING_LIT, pathOf } from "../state/links.js";
import { idOf, rowsOf } from "../state/lookups.js";
import type { Layout, ProjectState, RowId } from "../state/model.js";
import { type Box, toScreen, type View, withInSight, zoomed } from "../state/view.js";
import { Button, Cap, IconButton, Meter } from "../ui/controls.js";
import { cell, listed, shortNames } from "../ui/format.js";
import { Waiting } from "../ui/waiting.js";
import { css } from "./drawing/colours.js";
import { clearedCanvas, stylesOf } from "./drawing/marks.js";
import { usePalette } from "./drawing/palette.js";
import { distanceOf, gapsOf } from "./gaps.js";
import { Legend } from "./legend.js";
import { type NamePlace, namePlaces, startOf } from "./naming.js";
import { BrokenLink, Links, Names, Ring, restOf } from "./overlay.js";
import { type Direction, rowTowards } from "./places.js";
import { Plot, type PlotHandle } from "./plot.js";
import { RowCard } from "./row-card.js";
import { RowTable } from "./row-table.js";
import { useRows } from "./rows.js";
import { MapTools } from "./tools.js";

/**
 * AT_ONCE: number of links that are drawn in one step. STILL_MS: drawing begins when the map has not moved for this number of milliseconds.
 */
const AT_ONCE = 300;

const STILL_MS = 80;

const DASHES = { must: [], cannot: [4, 3], relative: [1, 3] } as const;

export function MapStage({ drawer }: { readonly drawer: { readonly open: boolean; readonly toggle: () => void } }) {
  const { layout, table, drawing } = useProject((state) => ({
    layout: state.layout,
    table: state.table,
    drawing: state.drawing,
  }));
  const [view, setView] = useState<View | null>(null);
  const handle = useRef<PlotHandle | null>(null);
  const { store } = useSession();
  const { app } = useStudio();
  const hasBubble = useHasBubble();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new layout has new coordinates, so the old view is invalid
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
      else tell(app, "Pick rows first, then press B to label them");
    },
  });
  return (
    <main className="stage">
      <MapTools onZoom={zoom} onFit={() => setView(null)} drawer={drawer} />
      {drawing && <Drawing progress={drawing} />}
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

/** The progress of a map of neighbourhoods that takes longer than a second. */
function Drawing({ progress: { phase, done, total } }: { readonly progress: NonNullable<ProjectState["drawing"]> }) {
  const { actions } = useSession();
  const share = total ? done / total : 0;
  const words = phase === "neighbours" ? "Finding near rows" : "Drawing the map";
  return (
    <div className="pad progress drawing" role="status">
      <span className="cut quiet">{words}</span>
      <Button look="ghost small-button" title="Stop, and show principal components" onClick={() => void actions.stopMap()}>
        Stop
      </Button>
      <Meter share={share} active label={`${words}: ${Math.round(share * 100)}%`} />
    </div>
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
    <div
      className="map-area"
      role="application"
      aria-label="Rows of the map: arrow keys move, Space picks"
      tabIndex={0}
      {...events}
    >
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

/**
 * Handles the keys of the map: Tab goes to the first broken answer, an arrow key to the nearest row in its direction, Space picks the row.
 */
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
    <span className="visually-hidden" aria-live="polite">
      {words}
    </span>
  );
}

/* Draws thousands of links on a canvas. With SVG, thousands of dashed lines would block the browser for seconds after each change. */

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
    const element = canvas.current!;
    // With `willReadFrequently`, the browser draws on the CPU. Without graphics hardware, drawing dashed lines on the GPU path takes
    // seconds.
    const context = clearedCanvas(element, box, { willReadFrequently: true });
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

/** Draws one link as a path of its own: browsers draw dashed lines fastest if each path has one line. */
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

const MOST = 4;

const STEP = 48;

/**
 * The bubble with answers is placed where it hides little of the map. Hiding the name of a group is as bad as hiding this number of rows.
 */
const NAME = 40;

const SIZE = { width: 304, height: 168 };

interface BubbleProps {
  readonly window: PlotHandle;
  readonly layout: Layout;
  readonly names: readonly (NamePlace | null)[];
}

function Bubble({ window: { view, box }, layout, names }: BubbleProps) {
  const picks = useProject((state) => state.picks);
  const place = useMemo(() => {
    const starts = names.flatMap((name) => (name ? [startOf(name, layout.xy, view, box)] : []));
    return quietPlace(layout.xy, picks.slice(0, 200), view, box, SIZE, starts);
  }, [layout.xy, picks, view, box, names]);
  const [x, y] = toScreen(view, box, layout.xy[2 * picks[0]!]!, layout.xy[2 * picks[0]! + 1]!);
  const edgeX = Math.max(place.left, Math.min(x, place.left + SIZE.width));
  const edgeY = Math.max(place.top, Math.min(y, place.top + SIZE.height));
  return (
    <>
      <svg className="plot-lines leader-lines" width={box.width} height={box.height} aria-hidden="true">
        <path className="leader" d={`M${x} ${y}L${edgeX} ${edgeY}`} />
      </svg>
      <BubbleBox style={{ position: "absolute", left: place.left, top: place.top }} />
    </>
  );
}

/** Whether the picked rows open the bubble with answers. For a single row the bubble only asks for its class. */
function useHasBubble(): boolean {
  return useProject(({ picks, labelling }) => picks.length >= 2 || (picks.length === 1 && labelling));
}

/**
 * The bubble that offers answers about the picked rows. The bubble does not take the focus when it appears. Otherwise a key press for
 * another control, such as Enter in a list of search results, could give an answer. If the focus is in the bubble when the bubble closes,
 * the focus moves to the map or the list of rows.
 */
function BubbleBox({ style }: { readonly style?: React.CSSProperties }) {
  const { actions } = useSession();
  const { picks, labelling } = useProject((state) => ({ picks: state.picks, labelling: state.labelling }));
  useKeys({ Escape: actions.clear });
  useLayoutEffect(() => () => rowsAround(document.activeElement)?.focus({ preventScroll: true }), []);
  return (
    <div className="on-map" style={style}>
      {labelling ? (
        <LabelBubble rows={picks} />
      ) : picks.length === 2 ? (
        <PairBubble rows={picks} />
      ) : picks.length === 3 ? (
        <OddOneOut rows={picks} />
      ) : (
        <ManyBubble rows={picks} />
      )}
    </div>
  );
}

function rowsAround(element: Element | null): HTMLElement | null | undefined {
  const box = element?.closest(".on-map")?.closest(".map-area, .rows-area");
  return box?.matches("[tabindex]") ? (box as HTMLElement) : box?.querySelector<HTMLElement>("[role=listbox]");
}

function BubbleHead({ title, note }: { readonly title: string; readonly note?: string }) {
  const { actions } = useSession();
  return (
    <div className="bubble-head">
      <b>{title}</b>
      <span className="quiet grow cut">{note}</span>
      <IconButton icon="close" label="Close" look="ghost small-button" onClick={actions.clear} />
    </div>
  );
}

function PairBubble({ rows }: { readonly rows: readonly number[] }) {
  const { actions, store } = useSession();
  const { constraints, columns, third } = useProject((state) => ({
    constraints: state.knowledge.constraints,
    columns: state.columns,
    third: state.third,
  }));
  const [a, b] = rows.map((row) => idOf(store.get(), row)) as [RowId, RowId];
  const found = useRows(rows);
  const gaps = useMemo(() => (found.length === 2 ? gapsOf(columns, found) : []), [columns, found]);
  const { same, different } = QUESTION_KEYS;
  const answer = (type: "must-link" | "cannot-link") => () => actions.sayOfPicks([{ type, a, b }]);
  const askThird = () => store.set({ third: true });
  const label = () => store.set({ labelling: true });
  useKeys({ [same.key]: answer("must-link"), [different.key]: answer("cannot-link"), o: askThird });
  const relation = relationOf(a, b, constraints);
  const apart = distanceOf(gaps);
  const note = `${relation === null ? "no answer yet" : `already ${relation}`}${apart === null ? "" : `, ${formatFixed(apart, 1)} apart`}`;
  return (
    <div className="bubble floating" role="dialog" aria-label={`Rows ${a} and ${b}`}>
      <BubbleHead title={`${a} and ${b}`} note={note} />
      <div className="bubble-answers">
        <Button cap={same.key.toUpperCase()} onClick={answer("must-link")}>
          {keyTitle(same.word)}{" "}
        </Button>
        <Button cap={different.key.toUpperCase()} onClick={answer("cannot-link")}>
          {keyTitle(different.word)}{" "}
        </Button>
      </div>
      <div className="bubble-more">
        <Button look="ghost small-button" cap="O" aria-pressed={third} onClick={askThird}>
          Odd one out: pick a third{" "}
        </Button>
        <Button look="ghost small-button" cap="B" onClick={label}>
          Label both{" "}
        </Button>
      </div>
      <p className="bubble-note">{noteWords(a, b, gaps, settledBySame(a, b, constraints))}</p>
    </div>
  );
}

function noteWords(a: RowId, b: RowId, gaps: ReturnType<typeof gapsOf>, settled: readonly (readonly [RowId, RowId])[]): string {
  const [widest] = gaps;
  const gap =
    widest && widest.column.role === "feature"
      ? `Widest gap: ${widest.column.name}, ${widest.cells.map(cell).join(" and ")}.`
      : "";
  const pairs = settled.slice(0, 3).map(([left, right]) => `${left} = ${right}`);
  const more = settled.length > 3 ? [...pairs, `${formatCount(settled.length - 3)} more`] : pairs;
  return [gap, pairs.length > 0 ? `“Same” also settles ${listed(more)}.` : `“Same” settles only ${a} = ${b}.`].join(" ").trim();
}

function LabelBubble({ rows }: { readonly rows: readonly number[] }) {
  const { actions, store } = useSession();
  const classes = useProject(({ knowledge }) =>
    [...new Set(knowledge.constraints.flatMap(({ constraint }) => (constraint.type === "label" ? [constraint.class] : [])))].join(
      "\n",
    ),
  );
  const [name, setName] = useState("");
  const title = rows.length === 1 ? `Label ${idOf(store.get(), rows[0]!)}` : `Label ${formatCount(rows.length)} rows`;
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus({ preventScroll: true }), []);
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (name.trim() === "") return;
    actions.sayOfPicks(rows.map((row) => ({ type: "label" as const, a: idOf(store.get(), row), class: name.trim() })));
  };
  return (
    <div className="bubble floating" role="dialog" aria-label={title}>
      <BubbleHead title={title} />
      <form className="bubble-answers" onSubmit={submit}>
        <input
          ref={field}
          className="field"
          aria-label="Class"
          list="classes"
          placeholder="class"
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <datalist id="classes">
          {classes.split("\n").map((known) => (
            <option key={known} value={known} />
          ))}
        </datalist>
        <Button type="submit" look="solid" disabled={name.trim() === ""}>
          Label
        </Button>
      </form>
      <p className="bubble-note">Rows of the same class belong together, rows of different classes do not.</p>
    </div>
  );
}

function ManyBubble({ rows }: { readonly rows: readonly number[] }) {
  const { actions, store } = useSession();
  const label = () => store.set({ labelling: true });
  const together = () => {
    const ids = rows.map((row) => idOf(store.get(), row));
    const chain = ids.slice(1).map((b, i) => ({ type: "must-link" as const, a: ids[i]!, b }));
    actions.sayOfPicks(chain);
  };
  useKeys({ [QUESTION_KEYS.same.key]: together });
  return (
    <div className="bubble floating" role="dialog" aria-label={`${formatCount(rows.length)} rows`}>
      <BubbleHead title={`${formatCount(rows.length)} rows picked`} />
      <div className="bubble-answers">
        <Button cap="B" onClick={label}>
          Label them{" "}
        </Button>
        <Button cap="S" onClick={together}>
          All the same{" "}
        </Button>
      </div>
      <p className="bubble-note">“All the same” adds {formatCount(rows.length - 1)} must-links.</p>
    </div>
  );
}

interface Place {
  readonly left: number;
  readonly top: number;
}

export function quietPlace(
  xy: Float32Array,
  own: readonly number[],
  view: View,
  box: Box,
  size: Box,
  names: readonly (readonly [number, number])[] = [],
): Place {
  const cols = Math.max(1, Math.ceil(box.width / STEP));
  const lines = Math.max(1, Math.ceil(box.height / STEP));
  const density = new Int32Array(cols * lines);
  for (let row = 0; row < xy.length / 2; row++) {
    const [x, y] = toScreen(view, box, xy[2 * row]!, xy[2 * row + 1]!);
    if (x >= 0 && y >= 0 && x < box.width && y < box.height) density[Math.floor(y / STEP) * cols + Math.floor(x / STEP)]!++;
  }
  for (const [x, y] of names) {
    const line = Math.floor(y / STEP);
    if (line < 0 || line >= lines) continue;
    for (let col = Math.max(0, Math.floor(x / STEP)); col < Math.min(cols, Math.floor(x / STEP) + 3); col++)
      density[line * cols + col]! += NAME;
  }
  const rows = own.map((row) => toScreen(view, box, xy[2 * row]!, xy[2 * row + 1]!));
  const middle = rows.reduce(([x, y], [rx, ry]) => [x + rx / rows.length, y + ry / rows.length], [0, 0] as [number, number]);
  let best: Place = { left: 8, top: 8 };
  let least = Infinity;
  for (let top = 16; top + size.height < box.height - 24; top += STEP / 2)
    for (let left = 64; left + size.width < box.width - 8; left += STEP / 2) {
      const hits = rows.some(
        ([x, y]) => x > left - 20 && x < left + size.width + 20 && y > top - 20 && y < top + size.height + 20,
      );
      if (hits) continue;
      const far = Math.hypot(left + size.width / 2 - middle[0], top + size.height / 2 - middle[1]);
      const cost = hidden(density, cols, lines, left, top, size) + far / 30;
      if (cost < least) [best, least] = [{ left, top }, cost];
    }
  return best;
}

function hidden(density: Int32Array, cols: number, lines: number, left: number, top: number, size: Box): number {
  let sum = 0;
  const lastLine = Math.min(lines - 1, Math.floor((top + size.height) / STEP));
  const lastCol = Math.min(cols - 1, Math.floor((left + size.width) / STEP));
  for (let line = Math.floor(top / STEP); line <= lastLine; line++)
    for (let col = Math.floor(left / STEP); col <= lastCol; col++) sum += density[line * cols + col]!;
  return sum;
}

/*
 * Asks which of three rows is least like the other two. On the map the keys for the rows are 1, 2, 3, because the key B labels rows there.
 */

function OddOneOut({ rows }: { readonly rows: readonly number[] }) {
  const { actions, store } = useSession();
  const columns = useProject((state) => state.columns);
  const ids = rows.map((row) => idOf(store.get(), row)) as [RowId, RowId, RowId];
  const found = useRows(rows);
  const gaps =
    found.length === 3
      ? gapsOf(columns, found)
          .filter(({ column }) => column.role === "feature")
          .slice(0, MOST)
      : [];
  const heads = shortNames(gaps.map(({ column }) => column.name));
  const answer = (odd: number) => {
    const [a, b] = ids.filter((_, i) => i !== odd) as [RowId, RowId];
    actions.sayOfPicks([{ type: "relative", a, b, c: ids[odd]! }]);
  };
  const unsure = () => actions.sayOfPicks([{ type: "unsure", rows: [...ids] }]);
  useKeys({
    "1": () => answer(0),
    "2": () => answer(1),
    "3": () => answer(2),
    [QUESTION_KEYS.unsure.key]: unsure,
  });
  return (
    <div className="bubble floating" role="dialog" aria-label={`Rows ${ids.join(", ")}`}>
      <div className="bubble-head">
        <b>Which row is least like the other two?</b>
      </div>
      <table className="mini odd-table">
        <thead>
          <tr className="meta small">
            <td />
            <td>Row</td>
            {heads.map((head) => (
              <td key={head} className="num">
                {head}
              </td>
            ))}
          </tr>
        </thead>
        <tbody>
          {ids.map((id, i) => (
            <tr key={String(id)}>
              <td>
                <button type="button" className="key-cap" aria-label={`${id} is the odd one`} onClick={() => answer(i)}>
                  {i + 1}
                </button>
              </td>
              <td>
                <b>{id}</b>
              </td>
              {gaps.map(({ column, cells }) => (
                <td key={column.name} className="num">
                  {cell(cells[i])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <div className="bubble-note row">
        <button type="button" className="link-button plain-link" onClick={unsure}>
          <Cap>{QUESTION_KEYS.unsure.key.toUpperCase()}</Cap> {keyTitle(QUESTION_KEYS.unsure.word)}
        </button>
        <button type="button" className="link-button plain-link" onClick={() => store.set({ labelling: true })}>
          <Cap>B</Cap> Label all three
        </button>
        <button type="button" className="link-button plain-link" onClick={actions.clear}>
          <Cap>Esc</Cap> Close
        </button>
      </div>
    </div>
  );
}

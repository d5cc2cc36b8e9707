/** What to say about the rows in hand: two, three, or many. */
import { formatCount, formatFixed } from "@coterie/figures/layout";
import { QUESTION_KEYS } from "@coterie/workbench/protocol";
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { useProject, useSession } from "../page/context.js";
import { keyTitle, useKeys } from "../page/keys.js";
import { relationOf, settledBySame } from "../state/knowledge.js";
import { idOf } from "../state/lookups.js";
import type { Layout, RowId } from "../state/model.js";
import { type Box, toScreen, type View } from "../state/view.js";
import { Button, Cap, IconButton } from "../ui/controls.js";
import { cell, listed, shortNames } from "../ui/format.js";
import { distanceOf, gapsOf } from "./gaps.js";

import { type NamePlace, startOf } from "./naming.js";
import type { PlotHandle } from "./plot.js";
import { useRows } from "./rows.js";

const MOST = 4;

const STEP = 48;

/** A name counts as so many rows. */
const NAME = 40;

const SIZE = { width: 304, height: 168 };

interface BubbleProps {
  readonly window: PlotHandle;
  readonly layout: Layout;
  /** Where names stand that it should not hide. */
  readonly names: readonly (NamePlace | null)[];
}

export function Bubble({ window: { view, box }, layout, names }: BubbleProps) {
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

/** Whether there is something to say about the rows in hand: of one row only a label. */
export function useHasBubble(): boolean {
  return useProject(({ picks, labelling }) => picks.length >= 2 || (picks.length === 1 && labelling));
}

/**
 * What can be said about the rows in hand. The focus stays where it was when the bubble appears: a key that was meant for
 * something else, such as Enter in a list of found rows, must not answer. When the bubble goes with the focus in it, the focus goes
 * back to the rows.
 */
export function BubbleBox({ style }: { readonly style?: React.CSSProperties }) {
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

/** The map or the table of rows, if an element is in the bubble over it. */
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
  const say = (type: "must-link" | "cannot-link") => () => actions.sayOfPicks([{ type, a, b }]);
  const askThird = () => store.set({ third: true });
  const label = () => store.set({ labelling: true });
  useKeys({ [same.key]: say("must-link"), [different.key]: say("cannot-link"), o: askThird });
  const relation = relationOf(a, b, constraints);
  const apart = distanceOf(gaps);
  const note = `${relation === null ? "not related yet" : `${relation} already`}${apart === null ? "" : `, ${formatFixed(apart, 1)} apart`}`;
  return (
    <div className="bubble floating" role="dialog" aria-label={`Rows ${a} and ${b}`}>
      <BubbleHead title={`${a} and ${b}`} note={note} />
      <div className="bubble-answers">
        <Button cap={same.key.toUpperCase()} onClick={say("must-link")}>
          {keyTitle(same.word)}{" "}
        </Button>
        <Button cap={different.key.toUpperCase()} onClick={say("cannot-link")}>
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

/** What to look at, and what "same" would settle. */
function noteWords(a: RowId, b: RowId, gaps: ReturnType<typeof gapsOf>, settled: readonly (readonly [RowId, RowId])[]): string {
  const [widest] = gaps;
  const gap =
    widest && widest.column.role === "feature"
      ? `Widest gap: ${widest.column.name}, ${widest.cells.map(cell).join(" and ")}.`
      : "";
  const pairs = settled.slice(0, 3).map(([left, right]) => `${left} = ${right}`);
  const more = settled.length > 3 ? [...pairs, `${formatCount(settled.length - 3)} more`] : pairs;
  return [gap, pairs.length > 0 ? `“Same” also settles ${listed(more)}.` : `“Same” settles ${a} = ${b} alone.`].join(" ").trim();
}

/** A class for all rows in hand. */
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
          placeholder="a class"
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
      <p className="bubble-note">Rows of one class end up together, rows of different classes apart.</p>
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

/* Where a bubble floats: where it hides the fewest rows, and never over its own. */

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

/* Which one is least like the other two? On the map the answers are 1, 2, 3: B is the key of labels here. */

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
  const say = (odd: number) => {
    const [a, b] = ids.filter((_, i) => i !== odd) as [RowId, RowId];
    actions.sayOfPicks([{ type: "relative", a, b, c: ids[odd]! }]);
  };
  const unsure = () => actions.sayOfPicks([{ type: "unsure", rows: [...ids] }]);
  useKeys({
    "1": () => say(0),
    "2": () => say(1),
    "3": () => say(2),
    [QUESTION_KEYS.unsure.key]: unsure,
  });
  return (
    <div className="bubble floating" role="dialog" aria-label={`Rows ${ids.join(", ")}`}>
      <div className="bubble-head">
        <b>Which one is least like the other two?</b>
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
                <button type="button" className="key-cap" aria-label={`${id} is the odd one`} onClick={() => say(i)}>
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

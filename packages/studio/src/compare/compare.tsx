/** Compares two runs: two maps on the same axes, scores, flows of rows between clusters, and the list of rows that moved. */
import { counted, formatCount, formatFixed } from "@coterie/figures/layout";
import type { Comparison, RunReply } from "@coterie/workbench/protocol";
import { Fragment, useEffect, useMemo, useState } from "react";
import { stylesOf } from "../map/drawing/marks.js";
import { Ring } from "../map/overlay.js";
import { Plot } from "../map/plot.js";
import { useRows } from "../map/rows.js";
import { tell, useProject, useSession, useStudio } from "../page/context.js";
import { copyText } from "../page/export-menu.js";
import { useKeys } from "../page/keys.js";
import { GroupKey, LetterKey } from "../page/marks.js";
import { Problems } from "../page/problems.js";
import { go, viewAddress } from "../page/router.js";
import { OtherRows, RunFirst } from "../page/run-first.js";
import { TableButton, useTables } from "../page/tables.js";
import { type Groups, letterOf } from "../state/groups.js";
import { idOf } from "../state/lookups.js";
import type { Layout } from "../state/model.js";
import type { View } from "../state/view.js";
import { IconButton, LinkButton, Segments } from "../ui/controls.js";
import { alignedCells, change, longestOf, score, shortNames, textWidth } from "../ui/format.js";
import { Icon } from "../ui/icons.js";
import { Picker } from "../ui/popup.js";
import { VirtualList } from "../ui/virtual-list.js";
import { Waiting } from "../ui/waiting.js";
import { Flows } from "./flows.js";
import { isHigherBetter, type TwinSlots, twinSlots } from "./matching.js";
import "../panels/panels.css";
import "./compare.css";

type Query = Readonly<Record<string, string>>;

function chosenRuns(runs: readonly RunReply[], query: Query): { readonly before: RunReply; readonly after: RunReply } | null {
  const done = runs.filter(({ state }) => state === "done");
  const named = (word: string | undefined) => done.find(({ number }) => String(number) === word);
  const after = named(query.after) ?? done.at(-1);
  const before = named(query.before) ?? done.filter((run) => run !== after).at(-1);
  return before && after ? { before, after } : null;
}

export function Compare({ query }: { readonly query: Query }) {
  const runs = useProject((state) => state.runs);
  const chosen = chosenRuns(runs, query);
  if (!chosen) return <NothingToCompare runs={runs.filter(({ state }) => state === "done").length} />;
  return <Pair before={chosen.before} after={chosen.after} runs={runs.filter(({ state }) => state === "done")} />;
}

function NothingToCompare({ runs }: { readonly runs: number }) {
  return (
    <main>
      <RunFirst title="Compare two runs">
        {runs === 0 ? "There is no run yet." : "There is only one run."} Run a method without your answers and again with them.
        This page then shows which rows the answers moved.
      </RunFirst>
    </main>
  );
}

const FEW_LINES = 10;

/** Loads the comparison of two runs. Loads it again if the list of runs changes, because scores over repeated runs arrive later. */
function useComparison(before: number, after: number, ready: boolean): Comparison | null {
  const { client, id, actions } = useSession();
  const runs = useProject((state) => state.runs);
  const [comparison, setComparison] = useState<Comparison | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the runs can bring scores of repeated runs
  useEffect(() => {
    if (!ready) return setComparison(null);
    const stop = new AbortController();
    client.call("compare", { project: id, before, after }, { signal: stop.signal }).then(setComparison, actions.fail);
    return () => stop.abort();
  }, [client, id, before, after, actions, runs, ready]);
  return comparison?.before === before && comparison.after === after ? comparison : null;
}

function useResults(pair: readonly RunReply[]): { readonly ready: boolean; readonly others: readonly number[] } {
  const { actions } = useSession();
  const results = useProject((state) => state.results);
  useEffect(() => {
    for (const { number } of pair) if (!results.has(number)) void actions.load(number);
  }, [pair, results, actions]);
  const others = [...new Set(pair.map(({ number }) => number))].filter((number) => results.get(number)?.current === false);
  return { ready: others.length === 0 && pair.every(({ number }) => results.has(number)), others };
}

function Pair({ before, after, runs }: { before: RunReply; after: RunReply; runs: readonly RunReply[] }) {
  const { id } = useSession();
  const { ready, others } = useResults(useMemo(() => [before, after], [before, after]));
  const comparison = useComparison(before.number, after.number, ready);
  const [show, setShow] = useState<"moved" | "all">("moved");
  const [row, setRow] = useState<number | null>(null);
  const open = (first: number, second: number) =>
    go(viewAddress(id, "compare", { before: String(first), after: String(second) }));
  const swap = () => open(after.number, before.number);
  useKeys({ x: swap });
  const slots = useMemo(() => comparison && twinSlots(comparison, after), [comparison, after]);
  // If only a few rows moved, their list is shown beside the scores.
  const isFew = useMemo(() => comparison !== null && movedLines(comparison.moved).length <= FEW_LINES, [comparison]);
  const moved = comparison && slots && comparison.moved.length > 0 && (
    <Moved comparison={comparison} slots={slots} row={row} onRow={setRow} />
  );
  const choices = [...runs].reverse().map(({ number, title }) => ({ value: String(number), label: `Run ${number}, ${title}` }));
  const picker = (name: string, { number }: RunReply, choose: (number: number) => void) => (
    <Picker name={name} label={name} value={String(number)} choices={choices} onChange={(value) => choose(Number(value))} />
  );
  return (
    <div className={`compare ${isFew ? "still" : ""}`}>
      <main className="compare-main">
        <div className="bar">
          {picker("Before", before, (number) => open(number, after.number))}
          <IconButton icon="swap" label="Swap" look="ghost small-button" onClick={swap} />
          {picker("After", after, (number) => open(before.number, number))}
          <span className="grow" />
          <TableButton />
          <span className="quiet matched-words">Clusters matched by overlap</span>
          <span className="divider" />
          <Segments
            label="Rows"
            value={show}
            onChange={setShow}
            options={[
              { value: "moved", label: "Moved only" },
              { value: "all", label: "All rows" },
            ]}
          />
        </div>
        <Problems />
        {comparison && slots ? (
          <>
            <TwinMaps
              before={before}
              after={after}
              comparison={comparison}
              slots={slots}
              faded={show === "moved"}
              row={row}
              onRow={setRow}
            />
            <div className={`compare-under ${isFew && moved ? "three" : ""}`}>
              <Scores before={before} after={after} comparison={comparison} />
              <Flows before={before} after={after} comparison={comparison} slots={slots} />
              {isFew && moved}
            </div>
          </>
        ) : others.length > 0 ? (
          <OtherRows runs={others} />
        ) : (
          <Waiting>
            Comparing run {before.number} with run {after.number}
          </Waiting>
        )}
      </main>
      {!isFew && moved}
    </div>
  );
}

interface ScoresProps {
  readonly before: RunReply;
  readonly after: RunReply;
  readonly comparison: Comparison;
}

type Row = Comparison["rows"][number];

function Scores({ before, after, comparison }: ScoresProps) {
  const groups = [...new Set(comparison.rows.map(({ group }) => group))];
  const hasSpread = comparison.rows.some(({ spreadBefore, spreadAfter }) => spreadBefore !== null || spreadAfter !== null);
  return (
    <div className="scroll scores">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">
              Scores{" "}
              {hasSpread ? (
                <span className="quiet">with mean ± standard deviation over seeds</span>
              ) : (
                <SpreadButton before={before} after={after} />
              )}
            </th>
            <th scope="col" className="num">
              Run {before.number}
            </th>
            <th scope="col" className="num">
              Run {after.number}
            </th>
            <th scope="col" className="num">
              Change
            </th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <Fragment key={group}>
              <tr className="group">
                <th colSpan={4} scope="colgroup">
                  {group}
                </th>
              </tr>
              {comparison.rows
                .filter((row) => row.group === group)
                .map((row) => (
                  <ScoreRow key={row.title} row={row} />
                ))}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function SpreadButton({ before, after }: Pick<ScoresProps, "before" | "after">) {
  const { client, id, actions } = useSession();
  const { app } = useStudio();
  const start = () =>
    Promise.all([before, after].map(({ number }) => client.call("spread", { project: id, run: number, seeds: 10 }))).then(
      () => tell(app, "Both runs are repeated with 10 seeds each"),
      actions.fail,
    );
  return (
    <>
      <span className="quiet">(one seed)</span> <LinkButton onClick={() => void start()}>Repeat with 10 seeds</LinkButton>
    </>
  );
}

function value(row: Row, number: number | null): string {
  return isHigherBetter(row.group) === false && number !== null ? formatFixed(number, 0) : score(number);
}

function ScoreRow({ row }: { readonly row: Row }) {
  const better = isHigherBetter(row.group);
  const difference = row.before === null || row.after === null ? null : row.after - row.before;
  const isGood = difference !== null && better !== null && difference !== 0 ? difference > 0 === better : null;
  const tone = isGood === null ? "quiet" : isGood ? "good" : "bad";
  const [, title = row.title, of = ""] = row.title.match(/^(.*?)( of \d+)$/) ?? [];
  const spread = (range: Row["spreadBefore"]) =>
    range && (
      <span className="spread meta small">
        {score(range[0])} ± {score(range[1])}
      </span>
    );
  return (
    <tr>
      <td>
        {title}
        <span className="meta">{of}</span>
      </td>
      <td className="num">
        {value(row, row.before)}
        {spread(row.spreadBefore)}
      </td>
      <td className="num">
        <b>{value(row, row.after)}</b>
        {spread(row.spreadAfter)}
      </td>
      <td className={`num ${tone}`}>
        {difference === null ? "" : change(difference, better === false ? 0 : Math.abs(difference) >= 10 ? 1 : 3)}
      </td>
    </tr>
  );
}

interface TwinProps {
  readonly before: RunReply;
  readonly after: RunReply;
  readonly comparison: Comparison;
  readonly slots: TwinSlots;
  readonly faded: boolean;
  readonly row: number | null;
  readonly onRow: (row: number | null) => void;
}

function TwinMaps({ before, after, comparison, slots, faded, row, onRow }: TwinProps) {
  const layout = useProject((state) => state.layout);
  const [view, setView] = useState<View | null>(null);
  const strong = useMemo(() => (faded ? new Set(comparison.moved.map((moved) => moved.row)) : undefined), [faded, comparison]);
  const shared = { layout, view, onView: setView, strong, row, onRow };
  const isTable = useTables();
  if (isTable) return <TwinTable before={before} after={after} slots={slots} strong={strong} row={row} onRow={onRow} />;
  return (
    <div className="twins">
      <OneMap run={before} slots={slots.before} {...shared} />
      <OneMap run={after} slots={slots.after} {...shared} />
    </div>
  );
}

interface OneMapProps {
  readonly run: RunReply;
  readonly slots: readonly number[];
  readonly layout: Layout | null;
  readonly view: View | null;
  readonly onView: (view: View) => void;
  readonly strong: ReadonlySet<number> | undefined;
  readonly row: number | null;
  readonly onRow: (row: number | null) => void;
}

function useTwinGroups(run: RunReply, slots: readonly number[]): Groups | null {
  const { actions } = useSession();
  const result = useProject(({ results }) => results.get(run.number));
  useEffect(() => {
    if (!result) void actions.load(run.number);
  }, [result, run.number, actions]);
  return useMemo(() => {
    if (!result) return null;
    const sizes = new Map<number, number>();
    for (const label of result.labels) sizes.set(label, (sizes.get(label) ?? 0) + 1);
    const groups = slots.map((slot, cluster) => ({
      slot,
      letter: letterOf(slot),
      name: run.names?.[cluster] ?? "",
      size: sizes.get(cluster) ?? 0,
      cluster,
    }));
    return {
      kind: "clusters",
      groups: groups.filter(({ size }) => size > 0).sort((a, b) => a.slot - b.slot),
      slots: result.labels.map((label) => (label < 0 ? -1 : slots[label]!)),
    };
  }, [result, slots, run.names]);
}

function OneMap({ run, slots, layout, view, onView, strong, row, onRow }: OneMapProps) {
  const groups = useTwinGroups(run, slots);
  const { store } = useSession();
  const styles = useMemo(() => (groups ? stylesOf(groups, { strong }) : null), [groups, strong]);
  return (
    <section className="twin" aria-label={`Run ${run.number}`}>
      <div className="bar">
        <b>Run {run.number}</b>
        <span className="quiet cut">
          {run.title}, {run.used === 0 ? "no answers used" : `${counted(run.used, "answer")} used`}
        </span>
        <span className="grow" />
        <span className="keys">
          {groups?.groups.map((group) => (
            <GroupKey key={group.slot} group={{ ...group, name: "" }} />
          ))}
        </span>
      </div>
      {layout && groups && styles && groups.slots.length === layout.n ? (
        <Plot
          layout={layout}
          groups={groups}
          styles={styles}
          label={`Map of Run ${run.number}`}
          view={view}
          onView={onView}
          plain
          pointer={{ tool: "select", onPick: (picked) => onRow(picked), onMiss: () => onRow(null) }}
        >
          {(window) =>
            row !== null &&
            row < layout.n && (
              <Ring
                row={row}
                slot={groups.slots[row] ?? -1}
                side="start"
                text={String(idOf(store.get(), row))}
                layout={layout}
                {...window}
              />
            )
          }
        </Plot>
      ) : (
        <Waiting>Drawing run {run.number}</Waiting>
      )}
    </section>
  );
}

interface TwinTableProps extends Pick<TwinProps, "before" | "after" | "slots" | "row" | "onRow"> {
  /** The rows of the table: the moved rows of the open list. If undefined, all rows. */
  readonly strong: ReadonlySet<number> | undefined;
}

function TwinTable({ before, after, slots, strong, row, onRow }: TwinTableProps) {
  const { store } = useSession();
  const first = useTwinGroups(before, slots.before);
  const second = useTwinGroups(after, slots.after);
  const n = Math.min(first?.slots.length ?? 0, second?.slots.length ?? 0);
  const rows = useMemo(() => (strong ? [...strong].sort((a, b) => a - b) : Array.from({ length: n }, (_, i) => i)), [strong, n]);
  return (
    <section className="row-table twin-table" aria-label="Rows in both runs">
      <div className="row-line twin-line row-heads meta small">
        <span>Row</span>
        <span>Run {before.number}</span>
        <span>Run {after.number}</span>
      </div>
      <VirtualList
        label="Rows in both runs"
        className="row-lines"
        count={rows.length}
        rowHeight={24}
        active={row === null ? -1 : rows.indexOf(row)}
        onActive={(index) => onRow(rows[index]!)}
        renderRow={(index, isActive) => (
          <div className={`row-line twin-line ${isActive ? "chosen" : ""}`}>
            <b className="cut">{String(idOf(store.get(), rows[index]!))}</b>
            <LetterKey slot={first?.slots[rows[index]!] ?? -1} />
            <LetterKey slot={second?.slots[rows[index]!] ?? -1} />
          </div>
        )}
      />
    </section>
  );
}

type MovedRow = Comparison["moved"][number];
type Line = { readonly from: number; readonly to: number; readonly count: number } | MovedRow;

/**
 * Widths in pixels in the list of moved rows. ROOM: all cells of a row together. WIDEST and NARROWEST: limits for a cell. GAP: the space
 * between two cells.
 */
const ROOM = 228;
const [WIDEST, NARROWEST] = [140, 28];
const GAP = 8;
/** The heading of a column can widen the column up to this width in pixels. A longer heading is shortened. */
const MOST_OF_HEAD = 60;
const MOST_CELLS = 4;

/**
 * The widths of the columns to show. Takes columns from the left while they fit into ROOM, but always the first column.
 * longest: width of the longest text of each column.
 */
export function fittingColumns(longest: readonly number[]): readonly number[] {
  const widths = longest.map((width) => Math.max(NARROWEST, Math.min(width, WIDEST)));
  let [taken, room] = [0, ROOM];
  while (taken < Math.min(widths.length, MOST_CELLS) && (taken === 0 || widths[taken]! + GAP <= room))
    room -= widths[taken++]! + GAP;
  return widths.slice(0, taken);
}

function isHead(line: Line): line is Exclude<Line, MovedRow> {
  return "count" in line;
}

export function movedLines(moved: readonly MovedRow[]): readonly Line[] {
  const ways = new Map<string, MovedRow[]>();
  for (const row of moved) {
    const key = `${row.from} ${row.to}`;
    ways.set(key, [...(ways.get(key) ?? []), row]);
  }
  return [...ways.values()]
    .sort((a, b) => a.length - b.length)
    .flatMap((rows) => [{ from: rows[0]!.from, to: rows[0]!.to, count: rows.length }, ...rows]);
}

function Moved({ comparison, slots, row, onRow }: Pick<TwinProps, "comparison" | "slots" | "row" | "onRow">) {
  const { app } = useStudio();
  const { total, columns } = useProject((state) => ({ total: state.project.rows, columns: state.columns }));
  const { moved } = comparison;
  const lines = useMemo(() => movedLines(moved), [moved]);
  const features = useMemo(
    () => columns.flatMap((column, i) => (column.role === "feature" ? [i] : [])).slice(0, MOST_CELLS),
    [columns],
  );
  const rows = useRows(useMemo(() => moved.slice(0, 1_000).map((each) => each.row), [moved]));
  const cells = useMemo(() => new Map(rows.map((reply) => [reply.row, reply.cells])), [rows]);
  const words = useMemo(() => features.map((i) => alignedCells(rows.map((reply) => reply.cells[i]))), [features, rows]);
  const short = useMemo(() => shortNames(features.map((i) => columns[i]!.name)), [columns, features]);
  const widths = useMemo(
    () =>
      fittingColumns(
        features.map((i, at) =>
          Math.max(
            Math.min(MOST_OF_HEAD, textWidth(short[at]!)),
            textWidth(longestOf(rows.map((reply) => words[at]!(reply.cells[i])))),
          ),
        ),
      ),
    [short, features, rows, words],
  );
  const shown = features.slice(0, widths.length);
  const heads = shortNames(shown.map((i) => columns[i]!.name));
  const answered = moved.filter(({ why }) => why === "answered").length;
  const copy = async () => {
    await copyText(
      [
        "row,from,to,why",
        ...moved.map(
          ({ id, from, to, why }) =>
            `${safe(id)},${letterOf(slots.before[from] ?? -1)},${letterOf(slots.after[to] ?? -1)},${why}`,
        ),
      ].join("\n"),
    );
    tell(app, `Copied ${counted(moved.length, "row")}`);
  };
  return (
    <aside
      className="side"
      aria-label="Moved rows"
      style={{ "--moved-cells": widths.map((width) => `minmax(${width}px, 1fr)`).join(" ") } as React.CSSProperties}
    >
      <div className="section-head moved-head">
        <h2>Moved rows</h2>
        <span className="count grow">
          {formatCount(moved.length)} of {counted(total, "row")}
        </span>
        <IconButton icon="copy" label="Copy rows" onClick={() => void copy()} />
      </div>
      <p className="help moved-help">{movedWords(moved.length, answered)}</p>

      <table className="moved-heads">
        <thead>
          <tr className="moved-line meta small">
            <th scope="col" className="num">
              Row
            </th>
            {heads.map((head) => (
              <th key={head} scope="col" className="num cut">
                {head}
              </th>
            ))}
            <th scope="col">Why</th>
          </tr>
        </thead>
      </table>
      <VirtualList
        label="Rows that moved"
        className="scroll"
        count={lines.length}
        rowHeight={24}
        active={lines.findIndex((line) => !isHead(line) && line.row === row)}
        isChoice={(index) => !isHead(lines[index]!)}
        onActive={(index) => {
          const line = lines[index]!;
          if (!isHead(line)) onRow(line.row);
        }}
        renderRow={(index, active) => {
          const line = lines[index]!;
          if (isHead(line))
            return <WayHead from={slots.before[line.from] ?? -1} to={slots.after[line.to] ?? -1} count={line.count} />;
          const values = cells.get(line.row);
          return (
            <div className={`moved-line ${active ? "chosen" : ""}`}>
              <b className="num cut">{String(line.id)}</b>
              {shown.map((i, at) => (
                <span key={i} className="num cut">
                  {values ? words[at]!(values[i]) : ""}
                </span>
              ))}
              <span className={line.why === "answered" ? "" : "meta"}>{line.why}</span>
            </div>
          );
        }}
      />
    </aside>
  );
}

function movedWords(moved: number, answered: number): string {
  const rest = moved - answered;
  const carry = `${formatCount(answered)} of them ${answered === 1 ? "has" : "have"} an answer of yours.`;
  return rest === 0 ? carry : `${carry} The other ${formatCount(rest)} follow the new centres and weights.`;
}

function safe(id: string | number): string {
  const text = String(id);
  const harmless = /^[=+\-@\t\r]/.test(text) && typeof id === "string" ? `'${text}` : text;
  return /[",\n\r]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

function WayHead({ from, to, count: rows }: { readonly from: number; readonly to: number; readonly count: number }) {
  return (
    <div className="moved-way small">
      <span className="mark-key">
        <LetterKey slot={from} />
        <Icon name="arrow" />
        <LetterKey slot={to} />
      </span>
      <span className="quiet">{counted(rows, "row")}</span>
    </div>
  );
}

/** Two runs: the same axes, only the rows that moved in full colour, scores, flows, the list of moved rows. */
import type { Comparison, RunReply } from "@coterie/workbench/protocol";
import { useEffect, useMemo, useState } from "react";
import { useProject, useSession } from "../page/context.js";
import { useKeys } from "../page/keys.js";
import { OtherRows } from "../page/other-rows.js";
import { Problems } from "../page/problems.js";
import { go, viewAddress } from "../page/router.js";
import { TableButton } from "../page/tables.js";
import { Button, IconButton, Segments } from "../ui/controls.js";
import { Picker } from "../ui/popup.js";
import { Waiting } from "../ui/waiting.js";
import { Flows } from "./flows.js";
import { twinSlots } from "./matching.js";
import { Moved, movedLines } from "./moved.js";
import { Scores } from "./scores.js";
import { TwinMaps } from "./twin-maps.js";
import "../panels/panels.css";
import "./compare.css";

type Query = Readonly<Record<string, string>>;

/** The runs that the address names, or the last two. */
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
  const { id } = useSession();
  return (
    <main className="page-note">
      <h1>Compare two runs</h1>
      <p className="lead">
        {runs === 0 ? "There is no run yet." : "There is one run."} Run a method without your answers and one with them: here you
        see what the answers moved.
      </p>
      <p>
        <Button look="solid tall" onClick={() => go(viewAddress(id, "map"))}>
          Go to the map and run
        </Button>
      </p>
    </main>
  );
}

/** As many lines of the list of moved rows fit under the maps. */
const FEW_LINES = 10;

interface PairProps {
  readonly before: RunReply;
  readonly after: RunReply;
  readonly runs: readonly RunReply[];
}

/** The comparison of two runs; asked for again when their scores get a spread. */
function useComparison(before: number, after: number, ready: boolean): Comparison | null {
  const { client, id, deeds } = useSession();
  const runs = useProject((state) => state.runs);
  const [comparison, setComparison] = useState<Comparison | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: news about runs may bring a spread of scores
  useEffect(() => {
    if (!ready) return setComparison(null);
    const stop = new AbortController();
    client.call("compare", { project: id, before, after }, { signal: stop.signal }).then(setComparison, deeds.fail);
    return () => stop.abort();
  }, [client, id, before, after, deeds, runs, ready]);
  return comparison?.before === before && comparison.after === after ? comparison : null;
}

/** Whether both are about the rows that the table has now, as soon as that is known; and those that are not. */
function useRows(pair: readonly RunReply[]): { readonly ready: boolean; readonly others: readonly number[] } {
  const { deeds } = useSession();
  const results = useProject((state) => state.results);
  useEffect(() => {
    for (const { number } of pair) if (!results.has(number)) void deeds.load(number);
  }, [pair, results, deeds]);
  const others = [...new Set(pair.map(({ number }) => number))].filter((number) => results.get(number)?.current === false);
  return { ready: others.length === 0 && pair.every(({ number }) => results.has(number)), others };
}

function Pair({ before, after, runs }: PairProps) {
  const { id } = useSession();
  const { ready, others } = useRows(useMemo(() => [before, after], [before, after]));
  const comparison = useComparison(before.number, after.number, ready);
  const [show, setShow] = useState<"moved" | "all">("moved");
  const [row, setRow] = useState<number | null>(null);
  const open = (first: number, second: number) =>
    go(viewAddress(id, "compare", { before: String(first), after: String(second) }));
  const swap = () => open(after.number, before.number);
  useKeys({ x: swap });
  const slots = useMemo(() => comparison && twinSlots(comparison, after), [comparison, after]);
  // A few rows stand beside the scores: a column of their own would be empty.
  const isFew = useMemo(() => comparison !== null && movedLines(comparison.moved).length <= FEW_LINES, [comparison]);
  const moved = comparison && slots && comparison.moved.length > 0 && (
    <Moved comparison={comparison} slots={slots} row={row} onRow={setRow} />
  );
  const choices = [...runs].reverse().map(({ number, title }) => ({ value: String(number), label: `Run ${number}, ${title}` }));
  return (
    <div className={`compare ${isFew ? "still" : ""}`}>
      <main className="compare-main">
        <div className="bar">
          <Picker
            name="Before"
            label="Before"
            value={String(before.number)}
            choices={choices}
            onChange={(number) => open(Number(number), after.number)}
          />
          <IconButton icon="swap" label="Swap" look="ghost small-button" onClick={swap} />
          <Picker
            name="After"
            label="After"
            value={String(after.number)}
            choices={choices}
            onChange={(number) => open(before.number, Number(number))}
          />
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

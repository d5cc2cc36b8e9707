/** One run: what its clusters are, how rows join, rules, what is broken and why, what the metric learned. */
import type { RunReply, Understanding } from "@coterie/workbench/protocol";
import { useEffect, useMemo, useState } from "react";
import { useProject, useSession } from "../page/context.js";
import { OtherRows } from "../page/other-rows.js";
import { Problems } from "../page/problems.js";
import { go, viewAddress } from "../page/router.js";
import { useLinks } from "../page/shown.js";
import { TableButton } from "../page/tables.js";
import { clusterGroups } from "../state/groups.js";
import { rowsOf } from "../state/lookups.js";
import type { RowId, RunResult } from "../state/model.js";
import { Button } from "../ui/controls.js";
import { Picker } from "../ui/popup.js";
import { Waiting } from "../ui/waiting.js";
import { Broken } from "./broken.js";
import { ChosenNumber } from "./chosen.js";
import { ClusterNames } from "./cluster-names.js";
import type { Merge } from "./dendrogram.js";
import { Dendrogram } from "./dendrogram-view.js";
import { Extremes } from "./extremes.js";
import { Profiles } from "./profiles.js";
import { Rules } from "./rules.js";
import { TakeAway } from "./take-away.js";
import { Weights } from "./weights.js";
import "../panels/panels.css";
import "./understand.css";

type Query = Readonly<Record<string, string>>;

export function Understand({ query }: { readonly query: Query }) {
  const runs = useProject(({ runs: all }) => all.filter(({ state }) => state === "done"));
  const run = runs.find(({ number }) => String(number) === query.run) ?? runs.at(-1);
  const { deeds } = useSession();
  const number = run?.number;
  useEffect(() => {
    if (number !== undefined) void deeds.colour({ by: "run", run: number });
  }, [number, deeds]);
  const result = useProject(({ results }) => (number === undefined ? undefined : results.get(number)));
  if (!run) return <NoRun />;
  return result ? (
    <OneRun key={run.number} run={run} runs={runs} result={result} query={query} />
  ) : (
    <main>
      <Waiting>Reading run {run.number}</Waiting>
    </main>
  );
}

function NoRun() {
  const { id } = useSession();
  return (
    <main className="page-note">
      <h1>Understand a run</h1>
      <p className="lead">
        There is no run yet. Run a method on the map: here you see what its clusters are, in columns, in words and as a tree.
      </p>
      <p>
        <Button look="solid tall" onClick={() => go(viewAddress(id, "map"))}>
          Go to the map and run
        </Button>
      </p>
    </main>
  );
}

function useUnderstanding(run: number, ready: boolean): Understanding | null {
  const { client, id, deeds } = useSession();
  const upTo = useProject(({ knowledge }) => knowledge.upTo);
  const [known, setKnown] = useState<Understanding | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new answers may be broken ones
  useEffect(() => {
    if (!ready) return;
    const stop = new AbortController();
    client.call("understanding", { project: id, run }, { signal: stop.signal }).then(setKnown, deeds.fail);
    return () => stop.abort();
  }, [client, id, run, deeds, upTo, ready]);
  return known?.run === run ? known : null;
}

interface OneRunProps {
  readonly run: RunReply;
  readonly runs: readonly RunReply[];
  readonly result: RunResult;
  readonly query: Query;
}

function OneRun({ run, runs, result, query }: OneRunProps) {
  const { id } = useSession();
  const known = useUnderstanding(run.number, result.current);
  const groups = useMemo(() => clusterGroups(run, result), [run, result]);
  const merges = (result.current ? (result.report.merges ?? null) : null) as readonly Merge[] | null;
  const [k, setK] = useState(run.k ?? 1);
  const cluster = groups.groups.find(({ letter }) => letter === query.cluster) ?? null;
  const choices = [...runs].reverse().map(({ number, title }) => ({ value: String(number), label: `${number}, ${title}` }));
  const open = (change: Query) => go(viewAddress(id, "understand", { ...query, ...change }));
  return (
    <div className="understand">
      <main className={`understand-main ${merges ? "" : "flat"}`}>
        <div className="bar">
          <Picker
            name="Run"
            label="Run"
            value={String(run.number)}
            choices={choices}
            onChange={(number) => open({ run: number })}
          />
          <Picker
            name="Cluster"
            label="Cluster"
            value={cluster?.letter ?? "all"}
            choices={[
              { value: "all", label: "all" },
              ...groups.groups.map(({ letter, name }) => ({ value: letter, label: `${letter} ${name}`.trim() })),
            ]}
            onChange={(letter) => open({ cluster: letter })}
          />
          <TableButton />
          <span className="grow" />
          <ClusterNames run={run} groups={groups} />
        </div>
        <Problems />
        {!result.current ? (
          <OtherRows runs={[run.number]} />
        ) : known ? (
          <Profiles known={known} groups={groups} only={cluster} />
        ) : (
          <Waiting className="profiles">Looking at the clusters of run {run.number}</Waiting>
        )}
        {known && (cluster !== null || !merges) && <Extremes known={known} groups={groups} only={cluster} />}
        {merges && cluster === null && <Joining run={run} result={result} merges={merges} k={k} onK={setK} />}
      </main>
      <aside className="side understand-side" aria-label="In words, broken answers, export">
        <div className="scroll">
          <ChosenNumber result={result} />
          {known && <Rules known={known} groups={groups} />}
          {known && <Broken known={known} onCut={setK} />}
          {known?.weights && <Weights weights={known.weights} run={run} groups={groups} />}
          <TakeAway />
        </div>
      </aside>
    </div>
  );
}

interface JoiningProps {
  readonly run: RunReply;
  readonly result: RunResult;
  readonly merges: readonly Merge[];
  readonly k: number;
  readonly onK: (k: number) => void;
}

function Joining({ run, result, merges, k, onK }: JoiningProps) {
  const { known } = useLinks();
  const rowOf = useProject((state) => state.rowOf);
  const broken = useMemo(() => {
    const { cannotLink = [] } = (result.report.violations ?? {}) as { readonly cannotLink?: readonly (readonly RowId[])[] };
    return cannotLink.slice(0, 50).flatMap((pair) => {
      const [a, b] = rowsOf({ rowOf }, pair);
      return a === undefined || b === undefined ? [] : [[a, b] as const];
    });
  }, [result, rowOf]);
  return <Dendrogram run={run} result={result} merges={merges} k={k} onK={onK} known={known} broken={broken} />;
}

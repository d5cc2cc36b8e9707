/** A page that describes one run: columns by cluster, dendrogram, rules, broken answers with reasons, the learned metric. */
import {
  colourOf,
  counted,
  cutMiddle,
  type dendrogram,
  formatCount,
  formatFixed,
  shapePath,
  treeLayout,
} from "@coterie/figures/layout";
import { type RunReply, tallyOf, type Understanding } from "@coterie/workbench/protocol";
import { useEffect, useMemo, useState } from "react";
import { useProject, useSession } from "../page/context.js";
import { Problems } from "../page/problems.js";
import { go, viewAddress } from "../page/router.js";
import { OtherRows, RunFirst } from "../page/run-first.js";
import { useLinks } from "../page/shown.js";
import { TableButton, useTables } from "../page/tables.js";
import { clusterGroups, type Group, type Groups, letterOf } from "../state/groups.js";
import { rowsOf } from "../state/lookups.js";
import type { RowId, RunResult } from "../state/model.js";
import { Button, LinkButton } from "../ui/controls.js";
import { Picker } from "../ui/popup.js";
import { Waiting } from "../ui/waiting.js";
import { Dendrogram, type JoiningProps } from "./dendrogram-view.js";
import { Profiles } from "./profiles.js";
import "../panels/panels.css";
import "./understand.css";
import type { ClusterTree, TreeNode } from "@coterie/core/internal";
import { type Notations, notationOf, writtenValue } from "@coterie/core/notation";
import { useRows } from "../map/rows.js";
import { useExport } from "../page/export-menu.js";
import { Glyph, GroupKey, LetterKey } from "../page/marks.js";
import { allOf } from "../state/knowledge.js";
import { FieldDialog } from "../ui/dialog.js";
import { alignedCells, cell, shortNames } from "../ui/format.js";
import { Icon } from "../ui/icons.js";
import { Scroll } from "../ui/scroll.js";

type Query = Readonly<Record<string, string>>;

export function Understand({ query }: { readonly query: Query }) {
  const runs = useProject(({ runs: all }) => all.filter(({ state }) => state === "done"));
  const run = runs.find(({ number }) => String(number) === query.run) ?? runs.at(-1);
  const { actions } = useSession();
  const number = run?.number;
  useEffect(() => {
    if (number !== undefined) void actions.colour({ by: "run", run: number });
  }, [number, actions]);
  const result = useProject(({ results }) => (number === undefined ? undefined : results.get(number)));
  if (!run)
    return (
      <main>
        <RunFirst title="Understand a run">
          There is no run yet. Run a method on the map. This page then shows its clusters as columns, as rules and as a
          dendrogram.
        </RunFirst>
      </main>
    );
  return result ? (
    <OneRun key={run.number} run={run} runs={runs} result={result} query={query} />
  ) : (
    <main>
      <Waiting>Reading run {run.number}</Waiting>
    </main>
  );
}

function useUnderstanding(run: number, ready: boolean): Understanding | null {
  const { client, id, actions } = useSession();
  const upTo = useProject(({ knowledge }) => knowledge.upTo);
  const [known, setKnown] = useState<Understanding | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new answers can be broken answers
  useEffect(() => {
    if (!ready) return;
    const stop = new AbortController();
    client.call("understanding", { project: id, run }, { signal: stop.signal }).then(setKnown, actions.fail);
    return () => stop.abort();
  }, [client, id, run, actions, upTo, ready]);
  return known?.run === run ? known : null;
}

function OneRun({ run, runs, result, query }: { run: RunReply; runs: readonly RunReply[]; result: RunResult; query: Query }) {
  const { id } = useSession();
  const known = useUnderstanding(run.number, result.current);
  const groups = useMemo(() => clusterGroups(run, result), [run, result]);
  const merges = (result.current ? (result.report.merges ?? null) : null) as readonly dendrogram.MergeRow[] | null;
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
          <Waiting className="profiles">Analysing the clusters of run {run.number}</Waiting>
        )}
        {known && (cluster !== null || !merges) && <Extremes known={known} groups={groups} only={cluster} />}
        {merges && cluster === null && <Joining run={run} result={result} merges={merges} k={k} onK={setK} />}
      </main>
      <aside className="side understand-side" aria-label="Rules, broken answers, export">
        <div className="scroll">
          <ChosenNumber result={result} />
          {known && <Rules known={known} groups={groups} />}
          {known && <Broken known={known} onCut={setK} />}
          {known?.weights && <Weights weights={known.weights} run={run} groups={groups} />}
          <Export />
        </div>
      </aside>
    </div>
  );
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

interface BrokenProps {
  readonly known: Understanding;
  readonly onCut: (k: number) => void;
}

const MOST = 100;

function Broken({ known, onCut }: BrokenProps) {
  const { actions } = useSession();
  const constraints = useProject(({ knowledge }) => knowledge.constraints);
  const { broken } = known;
  const { checkable } = tallyOf(constraints);
  const typeOf = new Map(constraints.map(({ entry, constraint }) => [entry, constraint.type]));
  if (broken.length === 0)
    return (
      <section className="section" aria-label="Broken answers">
        <p className="help all-kept">
          <b className="good">{checkable === 0 ? "No answers to keep" : `Keeps ${allOf(checkable)}`}</b>
        </p>
      </section>
    );
  return (
    <section className="section" aria-label="Broken answers">
      <div className="section-head">
        <h2 className="bad">{counted(broken.length, "answer")} broken</h2>
        <span className="count">of {formatCount(checkable)}</span>
      </div>
      {broken.slice(0, MOST).map(({ entry, sentence, why, cut }) => (
        <div key={`${entry} ${sentence}`} className="broken-answer bad">
          <Glyph type={typeOf.get(entry ?? "") ?? "cannot-link"} />
          <b className="broken-words">{sentence}</b>
          <span className="quiet">{why}</span>
          {cut ? (
            <Button look="small-button" onClick={() => onCut(cut.k)}>
              Move cut
            </Button>
          ) : (
            entry !== null && (
              <Button look="danger small-button" onClick={() => void actions.drop([entry])}>
                Drop
              </Button>
            )
          )}
        </div>
      ))}
      {broken.length > MOST && <p className="help">and {formatCount(broken.length - MOST)} more</p>}
    </section>
  );
}

/* Explains why the run has this number of clusters, by the score of each number in the range that the user gave. */

interface Chosen {
  readonly k: number;
  readonly by: string;
  readonly evidence: readonly { readonly k: number; readonly score: number }[];
}

function ChosenNumber({ result }: { readonly result: RunResult }) {
  const chosen = result.report.chosen as Chosen | undefined;
  if (!chosen) return null;
  const most = Math.max(...chosen.evidence.map(({ score }) => score), 1e-9);
  return (
    <section className="section" aria-label="How many clusters">
      <div className="section-head">
        <h2 className="grow">{counted(chosen.k, "cluster")} chosen</h2>
        <span className="note">by {chosen.by}</span>
      </div>
      <table className="mini chosen-numbers">
        <tbody>
          {chosen.evidence.map(({ k, score }) => (
            <tr key={k}>
              <td>{k === chosen.k ? <b>{k}</b> : k}</td>
              <td className="bar-cell">
                <i style={{ width: `${Math.max(0, (100 * score) / most)}%` }} />
              </td>
              <td className="num">{formatFixed(score, 3)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/* The export menu of this page: downloads files, and copies the run as a command or as TypeScript. */

const FILES = [
  ["labels", "Labels", "csv"],
  ["constraints", "Constraints", "csv"],
  ["model", "Model", "json"],
  ["report-html", "Report", "html"],
] as const;

function Export() {
  const { save, copy } = useExport();
  return (
    <section aria-label="Export">
      <div className="section-head">
        <h2>Export</h2>
      </div>
      <div className="export-buttons">
        {FILES.map(([file, name, format]) => (
          <Button key={file} onClick={() => void save(file)}>
            {name} <span className="meta">{format}</span>
          </Button>
        ))}
        {(["command", "TypeScript"] as const).map((form) => (
          <Button key={form} onClick={() => void copy(form === "command" ? form : "typescript")}>
            <Icon name="copy" />
            Copy as {form}
          </Button>
        ))}
      </div>
    </section>
  );
}

/* Shows the learned metric as the weight of each column. */

type Weight = NonNullable<Understanding["weights"]>[number];

const MOST_WEIGHTS = 24;
const WIDTH = 180;

function Weights({ weights, run, groups }: { weights: readonly Weight[]; run: RunReply; groups: Groups }) {
  const slotOf = new Map(groups.groups.map(({ cluster, slot }) => [cluster, slot]));
  const sorted = [...weights].sort((a, b) => (a.cluster ?? -1) - (b.cluster ?? -1) || b.weight - a.weight);
  const far = Math.max(0.1, ...weights.map(({ weight }) => Math.abs(weight - 1)));
  const middle = 62;
  const room = Math.min(middle, WIDTH - middle);
  return (
    <section className="section" aria-label="Learned metric">
      <div className="section-head">
        <h2 className="grow">Learned metric</h2>
        <span className="note">
          Run {run.number}, {run.title}
        </span>
      </div>
      <div className="weights">
        {sorted.slice(0, MOST_WEIGHTS).map(({ column, cluster, weight }) => {
          const length = (Math.abs(weight - 1) / far) * room;
          return (
            <div key={`${cluster} ${column}`} className="weight">
              <span className="cut" title={column}>
                {cluster === null ? "" : `${letterOf(slotOf.get(cluster) ?? cluster)}: `}
                {column}
              </span>
              <svg width={WIDTH} height="14" aria-hidden="true">
                <path d={`M${middle} 0v14`} stroke="var(--line-2)" />
                <rect x={weight >= 1 ? middle : middle - length} y="4" width={length} height="6" rx="1" fill="var(--ink-2)" />
              </svg>
              <span className="num">{formatFixed(weight, 2)}</span>
            </div>
          );
        })}
        {sorted.length > MOST_WEIGHTS && <p className="quiet small">and {sorted.length - MOST_WEIGHTS} more</p>}
        <p className="quiet small">
          With weight 1, a column counts as without a learned metric. Above 1, differences in the column count more.
        </p>
      </div>
    </section>
  );
}

/* Lists the clusters with their marks. The user can name each cluster; all exports contain these names. */

function ClusterNames({ run, groups }: { readonly run: RunReply; readonly groups: Groups }) {
  const [naming, setNaming] = useState<Group | null>(null);
  return (
    <>
      <span className="keys">
        {groups.groups.slice(0, 12).map((group) => (
          <button
            key={group.slot}
            type="button"
            className="group-button"
            title="Name this cluster"
            onClick={() => setNaming(group)}
          >
            <GroupKey group={group} />
          </button>
        ))}
      </span>
      {naming && <NameDialog run={run} group={naming} onClose={() => setNaming(null)} />}
    </>
  );
}

function NameDialog({ run, group, onClose }: { readonly run: RunReply; readonly group: Group; readonly onClose: () => void }) {
  const { actions } = useSession();
  const rename = (name: string) => {
    const names = Array.from({ length: run.k ?? 0 }, (_, cluster) => run.names?.[cluster] ?? null);
    names[group.cluster] = name.trim() === "" ? null : name.trim();
    return actions.name(run.number, names);
  };
  const title = `Name cluster ${group.letter}`;
  return <FieldDialog title={title} label="Name" submit="Save name" value={group.name} onSubmit={rename} onClose={onClose} />;
}

/*
 * Shows typical and doubtful rows: the rows closest to the centre of each cluster, and the rows that are almost as close to another
 * cluster.
 */

interface ExtremesProps {
  readonly known: Understanding;
  readonly groups: Groups;
  readonly only: Group | null;
}

function Extremes({ known, groups, only }: ExtremesProps) {
  const shown = only ? [only] : groups.groups.slice(0, 8);
  return (
    <Scroll label="Typical and doubtful rows" className="extremes">
      <div className="section-head">
        <h2>Typical and doubtful rows</h2>
      </div>
      {shown.map((group) => (
        <ClusterRows key={group.slot} group={group} profile={known.clusters.find(({ cluster }) => cluster === group.cluster)} />
      ))}
    </Scroll>
  );
}

const CELLS = 5;

function ClusterRows({
  group,
  profile,
}: {
  readonly group: Group;
  readonly profile: Understanding["clusters"][number] | undefined;
}) {
  const columns = useProject((state) => state.columns);
  const wanted = useMemo(() => [...(profile?.typical ?? []), ...(profile?.doubtful ?? [])], [profile]);
  const rows = new Map(useRows(wanted).map((reply) => [reply.row, reply]));
  const shown = columns.flatMap((column, i) => (column.role === "feature" ? [i] : [])).slice(0, CELLS);
  const heads = shortNames(shown.map((i) => columns[i]!.name));
  const words = shown.map((i) => alignedCells([...rows.values()].map((reply) => reply.cells[i])));
  if (!profile) return null;
  const line = (row: number) => (
    <tr key={row}>
      <td>
        <RowLink row={row} id={String(rows.get(row)?.id ?? row)} />
      </td>
      {shown.map((i, at) => (
        <td key={i} className="num cut">
          {words[at]!(rows.get(row)?.cells[i])}
        </td>
      ))}
    </tr>
  );
  return (
    <table className="table tight extreme-table">
      <thead>
        <tr>
          <th scope="col">
            <GroupKey group={group} />
          </th>
          {heads.map((head) => (
            <th key={head} scope="col" className="num cut" title={head}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <tr className="group">
          <td colSpan={shown.length + 1}>Most typical of {formatCount(profile.size)} rows</td>
        </tr>
        {profile.typical.map(line)}
        <tr className="group">
          <td colSpan={shown.length + 1}>Most doubtful</td>
        </tr>
        {profile.doubtful.map(line)}
      </tbody>
    </table>
  );
}

function RowLink({ row, id }: { readonly row: number; readonly id: string }) {
  const { actions, id: project } = useSession();
  const show = () => {
    actions.light({ title: `Row ${id}`, rows: [row], links: [] });
    go(viewAddress(project, "map"));
  };
  return (
    <LinkButton className="plain-link" onClick={show}>
      {id}
    </LinkButton>
  );
}

/* Describes the clusters by rules: a small decision tree, and a sentence for each cluster. */

interface RulesProps {
  readonly known: Understanding;
  readonly groups: Groups;
}

const MOST_LEAVES = 12;

/** A tree that is too wide is scaled down, but at most to this share of its width. If it still does not fit, the user can scroll it. */
const SMALLEST = 0.95;

function Rules({ known, groups }: RulesProps) {
  const { rules } = known;
  const tree = rules.tree as ClusterTree | null;
  const slotOf = useMemo(() => new Map(groups.groups.map(({ cluster, slot }) => [cluster, slot])), [groups]);
  const isTable = useTables();
  if (rules.of === 0) return null;
  // In very large tables, the rules are learned from a sample of the rows.
  const isSample = rules.of < groups.groups.reduce((sum, { size }) => sum + size, 0);
  const ordered = [...rules.clusters].sort((a, b) => (slotOf.get(a.cluster) ?? 0) - (slotOf.get(b.cluster) ?? 0));
  return (
    <section className="section" aria-label="Rules">
      <div className="section-head">
        <h2 className="grow">Rules</h2>
        <span className="note">
          correct for {formatCount(rules.correct)} of{" "}
          {isSample ? `a sample of ${formatCount(rules.of)}` : counted(rules.of, "row")},{" "}
          {Math.round((100 * rules.correct) / rules.of)}%
        </span>
      </div>
      {tree && isTable && <TreeTable tree={tree} slotOf={slotOf} />}
      {tree && !isTable && tree.leaves > 1 && tree.leaves <= MOST_LEAVES && <Tree tree={tree} slotOf={slotOf} />}
      {ordered.map(({ cluster, words, correct, of }) => (
        <div key={cluster} className="rule">
          <LetterKey slot={slotOf.get(cluster) ?? cluster} />
          <span className="rule-words">{words}</span>
          <span className="num quiet">
            {formatCount(correct)} of {formatCount(of)}
          </span>
        </div>
      ))}
    </section>
  );
}

/* Draws the decision tree: its leaves side by side, and each test above its two branches. */

interface TreeProps {
  readonly tree: ClusterTree;
  readonly slotOf: ReadonlyMap<number, number>;
}

/** The vertical distance in pixels between two levels of the tree. */
const LEVEL = 48;

export function placedTree({ root, notations }: Pick<ClusterTree, "root" | "notations">) {
  const placed = treeLayout({ root }, "no");
  const leaves = placed.filter(({ test }) => test === null);
  // The width of a leaf in pixels. The mark, the letter and the count must fit into one leaf width. The words beside a branch must fit into
  // 1.5 leaf widths.
  const words = placed.flatMap(({ test }) => (test === null ? [] : Object.values(sidesOf(test, notations))));
  const room = Math.ceil(
    Math.max(
      64,
      ...leaves.map(({ size }) => 36 + 7 * formatCount(size).length),
      ...words.map(({ length }) => (36 + 6.2 * length) / 1.5),
    ),
  );
  const nodes = placed.map((node) => ({ ...node, x: room * (node.x + 0.5), y: 4 + node.depth * LEVEL }));
  const height = Math.max(...nodes.map(({ y }) => y)) + 30;
  return { nodes, width: room * leaves.length, height };
}

type Placed = ReturnType<typeof placedTree>["nodes"][number];

function Tree({ tree, slotOf }: TreeProps) {
  const { nodes, width, height } = useMemo(() => placedTree(tree), [tree]);
  return (
    <Scroll label="Decision tree" className="tree">
      <svg
        style={{ maxWidth: width, minWidth: SMALLEST * width }}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label="Decision tree"
        aria-description={counted(tree.leaves, "leaf", "leaves")}
      >
        {nodes.map((node, at) =>
          node.test === null ? (
            <TreeLeaf key={`${node.x} ${node.y}`} leaf={node} slot={slotOf.get(node.cluster!) ?? node.cluster!} />
          ) : (
            <TreeTest
              key={`${node.x} ${node.y}`}
              {...node}
              {...sidesOf(node.test, tree.notations)}
              sides={nodes.filter(({ parent }) => parent === at)}
            />
          ),
        )}
      </svg>
    </Scroll>
  );
}

function TreeLeaf({ leaf: { x, y, size }, slot }: { readonly leaf: Placed; readonly slot: number }) {
  return (
    <g>
      <rect x={x - 28} y={y} width="56" height="6" fill={`var(--c${colourOf(slot)})`} />
      <path d={shapePath(slot, x - 14, y + 19, 4.2)} fill={`var(--c${colourOf(slot)})`} />
      <text className="tree-leaf" x={x - 4} y={y + 23}>
        <tspan className="strong">{letterOf(slot)}</tspan> {formatCount(size)}
      </text>
    </g>
  );
}

interface TreeTestProps extends Placed {
  readonly yesWords: string;
  readonly noWords: string;
  /** The two subtrees below the test: first the rows that fail the test, then the rows that pass it. */
  readonly sides: readonly Placed[];
}

function TreeTest({ x, y, test, yesWords, noWords, sides }: TreeTestProps) {
  const [no, yes] = sides as [Placed, Placed];
  // Beside short branches, the words would overlap. They are placed next to the line between the branches instead.
  const isNarrow = yes.x - no.x < 140;
  return (
    <g>
      <path className="tree-line" d={`M${x} ${y + 16}V${y + 30}M${no.x} ${no.y - 2}V${y + 30}H${yes.x}V${yes.y - 2}`} />
      <text className="tree-test" x={x} y={y + 12}>
        {cutMiddle(test!.column, 20)}
      </text>
      <text className={`tree-side ${isNarrow ? "left" : ""}`} x={isNarrow ? x - 5 : (x + no.x) / 2} y={y + 26}>
        {noWords}
      </text>
      <text className={`tree-side ${isNarrow ? "right" : ""}`} x={isNarrow ? x + 5 : (x + yes.x) / 2} y={y + 26}>
        {yesWords}
      </text>
    </g>
  );
}

type Test = Extract<TreeNode, { readonly test: unknown }>["test"];

function limitOf({ column, above }: Extract<Test, { readonly above: number }>, notations: Notations | undefined): string {
  const notation = notationOf(notations, column);
  return notation ? writtenValue(above, notation) : cell(above);
}

/** The words beside the two branches of a test, such as "to 206.5" for rows that fail it and "over" for rows that pass it. */
export function sidesOf(test: Test, notations?: Notations): { readonly yesWords: string; readonly noWords: string } {
  if ("above" in test) return { yesWords: "over", noWords: `to ${limitOf(test, notations)}` };
  const [first = ""] = test.among;
  return { yesWords: test.among.length === 1 ? first.slice(0, 10) : `${first.slice(0, 8)} …`, noWords: "else" };
}

/** The condition of a test as words, such as "flipper up to 206.5" or "island is Dream". */
function conditionWords(test: Test, passed: boolean, notations: Notations | undefined): string {
  if ("above" in test) return `${test.column} ${passed ? "over" : "up to"} ${limitOf(test, notations)}`;
  return `${test.column} ${passed ? "is" : "is not"} ${test.among.join(" or ")}`;
}

export function leavesOf({ root, notations }: Pick<ClusterTree, "root" | "notations">) {
  const nodes = treeLayout({ root }, "no");
  const whereOf = ({ parent, passed }: (typeof nodes)[number]): string[] =>
    parent < 0 ? [] : [...whereOf(nodes[parent]!), conditionWords(nodes[parent]!.test!, passed, notations)];
  return nodes.flatMap((node) => (node.test === null ? [{ cluster: node.cluster!, size: node.size, where: whereOf(node) }] : []));
}

function TreeTable({ tree, slotOf }: TreeProps) {
  return (
    <table className="table tight">
      <thead>
        <tr>
          <th scope="col">Cluster</th>
          <th scope="col">Conditions</th>
          <th scope="col" className="num">
            Rows
          </th>
        </tr>
      </thead>
      <tbody>
        {leavesOf(tree).map(({ cluster, size, where }) => {
          const slot = slotOf.get(cluster) ?? cluster;
          return (
            <tr key={where.join()}>
              <td>
                <LetterKey slot={slot} />
              </td>
              <td>{where.join(", ")}</td>
              <td className="num">{formatCount(size)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

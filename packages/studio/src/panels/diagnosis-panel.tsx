/** The panel about the answers: whether k clusters can keep all answers, how hard that is, and what to do about problems. */
import { counted, formatFixed } from "@coterie/figures/layout";
import type { DiagnosisReply, Standing } from "@coterie/workbench/protocol";
import { useState } from "react";
import { useProject, useSession } from "../page/context.js";
import { go, viewAddress } from "../page/router.js";
import { contradictionsOf, keptWords, keyOf, originOf, sentenceOf } from "../state/knowledge.js";
import { newestDone, rowsOf, shownRun } from "../state/lookups.js";
import type { RowId } from "../state/model.js";
import type { Session } from "../state/session.js";
import { spoken } from "../state/spoken.js";
import { Button, LinkButton, Meter, Power, Segments } from "../ui/controls.js";
import { inWords, listed, power } from "../ui/format.js";
import { Icon } from "../ui/icons.js";

const WIDTH = 288;

export function DiagnosisPanel() {
  const { reply, checking, known } = useProject((state) => ({
    reply: state.diagnosis,
    checking: state.checking,
    known: state.knowledge.constraints.length,
  }));
  return (
    <section className="section" aria-label="Diagnosis">
      <div className="section-head">
        <h2 className="grow">Diagnosis</h2>
        <span className="note">{timeWords(reply, checking)}</span>
      </div>
      <div aria-live="polite">{reply && <Findings reply={reply} known={known} />}</div>
    </section>
  );
}

function timeWords(reply: DiagnosisReply | null, checking: boolean): string {
  if (!reply) return checking ? "checking…" : "";
  const time =
    reply.milliseconds < 1000
      ? `${Math.max(1, Math.round(reply.milliseconds))} ms`
      : `${formatFixed(reply.milliseconds / 1000, 1)} s`;
  return reply.partial || checking ? "still checking…" : `checked in ${time}`;
}

function Findings({ reply, known }: { readonly reply: DiagnosisReply; readonly known: number }) {
  const diagnosis = reply.diagnosis as Diagnosis;
  const contradictions = contradictionsOf(reply.diagnosis);
  if (known === 0)
    return <p className="help">There are no answers yet, so every clustering is possible. Each new answer is checked here.</p>;
  return (
    <>
      <Disagreements />
      {contradictions.length > 0 && <Contradictions contradictions={contradictions} />}
      {diagnosis.feasible === false && contradictions.length === 0 && <NotFeasible reply={reply} />}
      {diagnosis.feasible === true && <Feasible reply={reply} />}
      {diagnosis.feasible === null && reply.k !== null && contradictions.length === 0 && <Undecided reply={reply} />}
      <Clusterings diagnosis={diagnosis} />
      <Hardest diagnosis={diagnosis} />
      <Advice reply={reply} />
      <AllWell contradictions={contradictions.length} diagnosis={diagnosis} least={reply.leastK} />
    </>
  );
}

function Feasible({ reply }: { readonly reply: DiagnosisReply }) {
  const session = useSession();
  const { actions } = session;
  const k = reply.k!;
  const least = reply.leastK;
  const cells = rulerOf(k, least);
  const ruled =
    least !== null && least > 1 ? `${least - 1} clusters ruled out, ${least} and more possible` : `${k} clusters possible`;
  return (
    <div className="fact">
      <span className="row">
        <span className="good" role="img" aria-label={ruled}>
          <Icon name="check" />
        </span>
        <b>Feasible with {counted(k, "cluster")}</b>
      </span>
      <span className="k-ruler" role="group" aria-label="Number of clusters">
        {cells.map((cell) => (
          <button
            key={cell.k}
            type="button"
            className={cell.state}
            aria-label={`${counted(cell.k, "cluster")}${cell.state === "no" ? ", ruled out" : cell.state === "now" ? ", now" : ""}`}
            aria-pressed={cell.state === "now"}
            disabled={cell.state === "no"}
            onClick={() => void actions.change({ k: cell.k })}
          >
            {cell.k}
          </button>
        ))}
      </span>
      {least !== null && least > 2 && (
        <span className="under">
          {`${least - 1} is ruled out: ${inWords(least)} groups must all be in different clusters.`}{" "}
          <LinkButton onClick={() => void showCore(session, least - 1)}>Show these groups</LinkButton>
        </span>
      )}
    </div>
  );
}

function Undecided({ reply }: { readonly reply: DiagnosisReply }) {
  const { store, client, id } = useSession();
  const more = async () => {
    store.set({ checking: true });
    try {
      const next = await client.call("diagnosis", { project: id, k: reply.k!, effort: 20_000_000 });
      store.set({ diagnosis: next });
    } finally {
      store.set({ checking: false });
    }
  };
  return (
    <div className="fact">
      <span>It is not decided yet whether {counted(reply.k!, "cluster")} can keep all answers</span>
      <Button look="small-button" disabled={reply.partial} onClick={() => void more()}>
        Continue the search
      </Button>
    </div>
  );
}

function Clusterings({ diagnosis }: { readonly diagnosis: Diagnosis }) {
  const log10 = diagnosis.feasibleClusterings?.atMostK.log10 ?? null;
  const vertices = diagnosis.graph?.vertices ?? 0;
  const { k, rows } = useProject((state) => ({ k: state.diagnosis?.k ?? 0, rows: state.project.rows }));
  if (log10 === null || vertices === 0 || k < 2) return null;
  // `log10` counts only the clusterings of groups with cannot-links. Every other group or row can join any of the k clusters, so it adds
  // log10(k). With this sum, an answer never increases the number of clusterings.
  const joined = (diagnosis.components ?? []).reduce((sum, { members }) => sum + members.length - 1, 0);
  const free = rows - joined - vertices;
  const all = rows * Math.log10(k);
  const left = log10 + free * Math.log10(k);
  return (
    <div className="fact">
      <span>Possible clusterings</span>
      <span className="big">
        <Power parts={power(left)} />
      </span>
      <Meter share={all === 0 ? 0 : left / all} />
      <span className="under">
        of <Power parts={power(all)} /> clusterings without answers
      </span>
    </div>
  );
}

function Hardest({ diagnosis }: { readonly diagnosis: Diagnosis }) {
  const { actions, store } = useSession();
  const rows = hardestOf(diagnosis, 3);
  if (rows.length === 0) return null;
  const most = Math.max(...rows.map(({ degree }) => degree));
  return (
    <div className="fact">
      <span>Hardest to place</span>
      <span className="meta num">kept apart from</span>
      <table className="mini form-wide under">
        <tbody>
          {rows.map(({ ids, degree }) => (
            <tr key={ids.join()}>
              <td>
                <button
                  type="button"
                  className="link-button plain-link"
                  onClick={() =>
                    actions.light({ title: `Hardest to place: ${ids.join(", ")}`, rows: rowsOf(store.get(), ids), links: [] })
                  }
                >
                  {ids.slice(0, 5).join(", ")}
                  {ids.length > 5 ? ` and ${ids.length - 5} more` : ""}
                </button>
              </td>
              <td className="bar-cell">
                <i style={{ width: `${(100 * degree) / most}%` }} />
              </td>
              <td className="num">{counted(degree, "group")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The advice that the alerts above do not already show. */
function otherAdvice({ advice, diagnosis }: DiagnosisReply): DiagnosisReply["advice"] {
  const first = advice.find(({ sentence }) => /^These \d+ answers cannot all hold/.test(sentence));
  const isShown = (diagnosis as Diagnosis).feasible === false;
  return advice.filter((each) => each !== first && !(isShown && (each.action?.type === "k" || each.button === "Show core")));
}

/** Number of pieces of advice that are shown before the user asks for more, so that the form below stays visible. */
const FIRST = 2;

function Advice({ reply }: { readonly reply: DiagnosisReply }) {
  const session = useSession();
  const act = (action: NonNullable<DiagnosisReply["advice"][number]["action"]>) => {
    const { actions, store, id } = session;
    switch (action.type) {
      case "drop":
        return void actions.drop(action.entries);
      case "k":
        return void actions.change({ k: action.k });
      case "show":
        if (action.rows.length === 2) actions.pickAll(action.rows);
        return actions.light({ title: "", rows: action.rows, links: [] });
      case "ask": {
        // The advice is about the clusters of the newest run, so the map shows this run.
        const newest = newestDone(store.get().runs);
        if (action.cluster !== null && newest) void actions.colour({ by: "run", run: newest.number });
        return go(viewAddress(id, "ask", action.cluster === null ? {} : { about: String(action.cluster) }));
      }
      case "method":
        return store.set({ method: { algorithm: action.algorithm, options: {}, seed: 0 } });
    }
  };
  const [isOpen, setOpen] = useState(false);
  const advice = otherAdvice(reply);
  // If only one piece would be hidden, it is shown instead of the button, which takes the same space.
  const shown = isOpen || advice.length <= FIRST + 1 ? advice : advice.slice(0, FIRST);
  return (
    <>
      {shown.map(({ sentence, button, action }) => (
        <div key={sentence} className="advice">
          <span>{spoken(sentence).words}</span>
          {button !== null && action !== null && (
            <Button look="small-button" onClick={() => act(action)}>
              {button}
            </Button>
          )}
        </div>
      ))}
      {shown.length < advice.length && (
        <div className="advice">
          <LinkButton onClick={() => setOpen(true)}>
            Show {counted(advice.length - FIRST, "more piece", "more pieces")} of advice
          </LinkButton>
        </div>
      )}
    </>
  );
}

function AllWell({ contradictions, diagnosis, least }: { contradictions: number; diagnosis: Diagnosis; least: number | null }) {
  const { run, constraints } = useProject((state) => ({ run: shownRun(state), constraints: state.knowledge.constraints }));
  if (contradictions > 0 || diagnosis.feasible !== true || !run || run.broken !== 0 || run.given === 0) return null;
  return (
    <p className="help all-well">
      <b className="good">{keptWords(run, constraints)}</b>{" "}
      <span className="quiet">no contradiction{least === null ? "" : `, feasible from ${counted(least, "cluster")}`}</span>
    </p>
  );
}

/* The parts of a diagnosis that this panel shows. The protocol sends the diagnosis as untyped JSON. */

export interface Diagnosis {
  readonly feasible?: boolean | null;
  readonly components?: readonly { readonly members: readonly RowId[] }[];
  readonly graph?: { readonly vertices: number; readonly edges: number; readonly maxDegree: number } | null;
  readonly proof?: {
    readonly colouring?: Readonly<Record<string, number>>;
    readonly core?: readonly (readonly RowId[])[];
  } | null;
  readonly feasibleClusterings?: { readonly atMostK: { readonly log10: number | null } } | null;
  readonly points?: readonly { readonly id: RowId; readonly degree: number }[];
}

export function hardestOf(
  { points = [], components = [] }: Diagnosis,
  most: number,
): readonly { readonly ids: readonly RowId[]; readonly degree: number }[] {
  const groupOf = new Map(components.flatMap(({ members }) => members.map((id) => [String(id), members] as const)));
  const seen = new Set<readonly RowId[]>();
  const rows: { ids: readonly RowId[]; degree: number }[] = [];
  for (const { id, degree } of points) {
    if (rows.length === most || degree === 0) break;
    const group = groupOf.get(String(id)) ?? [id];
    if (seen.has(group)) continue;
    seen.add(group);
    rows.push({ ids: group, degree });
  }
  return rows;
}

interface RulerCell {
  readonly k: number;
  readonly state: "no" | "now" | "yes";
}

/** Four numbers of clusters near k. A number below `least` has the state "no", because the constraints exclude it. */
export function rulerOf(k: number, least: number | null): readonly RulerCell[] {
  const first = Math.max(1, Math.min(k - 1, least === null ? k - 1 : Math.max(least - 1, k - 2)));
  return Array.from({ length: 4 }, (_, i) => {
    const at = first + i;
    return { k: at, state: at === k ? "now" : least !== null && at < least ? "no" : "yes" };
  });
}

/** The heading of a contradiction. length: number of answers in the contradiction, which are a chain of must-links and one cannot-link. */
export function chainWords(length: number): string {
  return `These ${inWords(length)} answers cannot all hold`;
}

/** Shortens a chain of rows to `most` entries: one entry then says how many rows in the middle are left out. */
export function foldChain(path: readonly RowId[], most: number): readonly (RowId | { readonly folded: number })[] {
  if (path.length <= most) return path;
  const head = Math.ceil((most - 1) / 2);
  const tail = most - 1 - head;
  return [...path.slice(0, head), { folded: path.length - head - tail }, ...path.slice(path.length - tail)];
}

/*
 * Shows where two people gave different answers about the same rows. Both answers are stored. The policy of the project decides which
 * answer is used.
 */

function Disagreements() {
  const { actions } = useSession();
  const { disagreements, policy } = useProject(({ knowledge, project }) => ({
    disagreements: knowledge.disagreements,
    policy: project.policy,
  }));
  if (disagreements.length === 0) return null;
  return (
    <div className="fact">
      <b className="warn">{counted(disagreements.length, "disagreement")}</b>
      <Segments
        label="Used answer"
        value={policy}
        options={[
          { value: "latest", label: "latest" },
          { value: "heavier", label: "heavier" },
          { value: "neither", label: "neither" },
        ]}
        onChange={(next) => void actions.change({ policy: next })}
      />
      <ul className="under">
        {disagreements.slice(0, 5).map(({ entries, sentence }) => (
          <li key={entries.join()}>{sentence}</li>
        ))}
        {disagreements.length > 5 && <li>and {disagreements.length - 5} more</li>}
      </ul>
    </div>
  );
}

/*
 * An alert that k clusters cannot keep all answers: a small graph of the groups of rows that need more clusters, and the least possible
 * number.
 */

function NotFeasible({ reply }: { readonly reply: DiagnosisReply }) {
  const session = useSession();
  const { actions, store } = session;
  const hasLabels = useProject(({ knowledge }) => knowledge.constraints.some(({ constraint }) => constraint.type === "label"));
  const k = reply.k!;
  const core = (reply.diagnosis as Diagnosis).proof?.core ?? [];
  const least = reply.leastK;
  return (
    <div className="alert core-alert" role="group" aria-label="Not feasible">
      <div>
        <div className="bad strong">{counted(k, "cluster")} cannot keep all answers</div>
        <p>{coreWords(core, k)}</p>
        <div className="row wrap">
          {least !== null && (
            <Button look="small-button" onClick={() => void actions.change({ k: least })}>
              Use {counted(least, "cluster")}
            </Button>
          )}
          {hasLabels && (
            <Button look="small-button" onClick={() => store.set({ filter: "label" })}>
              Review labels
            </Button>
          )}
          <Button look="ghost small-button" onClick={() => lightCore(session, core)}>
            Show these groups
          </Button>
        </div>
      </div>
      {core.length > 0 && core.length <= 8 && <CoreGraph core={core} />}
    </div>
  );
}

function coreWords(core: readonly (readonly RowId[])[], k: number): string {
  if (core.length === 0) return `No clustering into ${counted(k, "cluster")} was found that keeps them.`;
  const names = core.slice(0, 5).map((group) => String(group[0]));
  const more = core.length > 5 ? [...names, `${core.length - 5} more`] : names;
  return `${listed(more)} need more than ${counted(k, "cluster")}: their answers keep them apart.`;
}

function lightCore({ actions, store }: Session, core: readonly (readonly RowId[])[]): void {
  const groups = core.map((group) => rowsOf(store.get(), group));
  const heads = groups.flatMap(([head]) => (head === undefined ? [] : [head]));
  const links = heads.flatMap((a, i) => heads.slice(i + 1).map((b) => ({ a, b, kind: "cannot" as const })));
  actions.light({ title: "Rows that do not fit into the clusters", rows: groups.flat(), links: links.slice(0, 200) });
}

async function showCore(session: Session, k: number): Promise<void> {
  const reply = session.client.call("diagnosis", { project: session.id, k });
  await reply.then(({ diagnosis }) => lightCore(session, (diagnosis as Diagnosis).proof?.core ?? []), session.actions.fail);
}

function CoreGraph({ core }: { readonly core: readonly (readonly RowId[])[] }) {
  const at = core.map((_, i) => {
    const angle = (i / core.length) * 2 * Math.PI - Math.PI / 2;
    return [66 + 44 * Math.cos(angle), 48 + 36 * Math.sin(angle)] as const;
  });
  const lines = at.flatMap(([x1, y1], i) => at.slice(i + 1).map(([x2, y2]) => `M${x1} ${y1}L${x2} ${y2}`));
  return (
    <svg width="132" height="96" viewBox="0 0 132 96" role="img" aria-label={`${core.length} groups, kept apart from each other`}>
      <path className="link cannot near" d={lines.join("")} />
      {core.map((group, i) => {
        const text = String(group[0]).slice(0, 6);
        const width = 14 + text.length * 6.4;
        const [x, y] = at[i]!;
        return (
          <g key={text}>
            <rect x={x - width / 2} y={y - 10} width={width} height="20" rx="3" className="core-box" />
            <text className="chain-row" x={x} y={y + 4}>
              {text}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

/* Shows contradictions: must-links as a chain of rows, and the cannot-link between the ends of the chain as a dashed red arc. */

type Contradiction = ReturnType<typeof contradictionsOf>[number];

function Contradictions({ contradictions }: { readonly contradictions: readonly Contradiction[] }) {
  const [first] = contradictions;
  return (
    <>
      <ContradictionAlert contradiction={first!} />
      {contradictions.length > 1 && <p className="help bad">and {counted(contradictions.length - 1, "more contradiction")}</p>}
      <p className="help">The checks below ignore these answers.</p>
    </>
  );
}

function ContradictionAlert({ contradiction }: { readonly contradiction: Contradiction }) {
  const { actions, store } = useSession();
  const [a, b] = contradiction.cannotLink;
  const standing = useProject(({ knowledge }) => {
    const key = keyOf({ type: "cannot-link", a, b });
    return knowledge.constraints.filter(({ constraint, counts }) => counts && keyOf(constraint) === key).at(-1);
  });
  const words = standing ? sentenceOf(standing.constraint) : `${a} ≠ ${b}`;
  const light = () => {
    const rows = rowsOf(store.get(), contradiction.path);
    const chain = rows.slice(1).map((row, i) => ({ a: rows[i]!, b: row, kind: "must" as const }));
    const closing = { a: rows[0]!, b: rows.at(-1)!, kind: "broken" as const };
    actions.light({ title: `The chain from ${a} to ${b}`, rows, links: [...chain, closing] });
  };
  return (
    <div className="alert" role="group" aria-label="Contradiction">
      <div className="row bad strong">
        <Icon name="warning" />
        {chainWords(contradiction.path.length)}
      </div>
      <Chain path={contradiction.path} closing={standing} />
      <div className="row wrap">
        <Button look="danger small-button" disabled={!standing} onClick={() => standing && void actions.drop([standing.entry])}>
          Drop {words}
        </Button>
        <Button look="small-button" onClick={light}>
          Show chain
        </Button>
        <Button look="ghost small-button" onClick={() => actions.pickAll(rowsOf(store.get(), [a, b]))}>
          Answer again
        </Button>
      </div>
    </div>
  );
}

/**
 * The text beside the cannot-link of a contradiction: "≠ added last" if it is newer than all must-links of the chain, otherwise its origin,
 * such as "≠ asked".
 */
export function closingWords(
  closing: Standing | undefined,
  links: readonly Standing[],
  constraints: readonly Standing[],
): string {
  if (!closing) return "≠";
  const at = constraints.indexOf(closing);
  return links.every((link) => constraints.indexOf(link) < at) ? "≠ added last" : `≠ ${originOf(closing)}`;
}

/**
 * Draws a chain of must-linked rows, with the origin of each must-link. `closing`: the cannot-link between the ends, which contradicts the
 * chain.
 */
function Chain({ path, closing }: { readonly path: readonly RowId[]; readonly closing: Standing | undefined }) {
  const constraints = useProject(({ knowledge }) => knowledge.constraints);
  const nodes = foldChain(path, 5);
  const step = nodes.length > 1 ? (WIDTH - 48) / (nodes.length - 1) : 0;
  const at = (i: number) => 24 + i * step;
  const linkOf = (left: RowId, right: RowId) => {
    const key = keyOf({ type: "must-link", a: left, b: right });
    return constraints.find(({ constraint, counts }) => counts && keyOf(constraint) === key);
  };
  const from = (left: RowId, right: RowId) => {
    const standing = linkOf(left, right);
    return standing ? originOf(standing) : "label";
  };
  const links = path.slice(1).flatMap((id, i) => linkOf(path[i]!, id) ?? []);
  const last = closingWords(closing, links, constraints);
  const isId = (node: (typeof nodes)[number] | undefined): node is RowId => node !== undefined && typeof node !== "object";
  const label = path.slice(1).map((id, i) => (i === 0 ? `${path[0]} is linked to ${id}` : `${path[i]} to ${id}`));
  return (
    <svg className="chain" width={WIDTH} height="52" viewBox={`0 0 ${WIDTH} 52`} role="img" aria-label={label.join(", ")}>
      <path d={`M24 26C60 -2 ${WIDTH - 60} -2 ${WIDTH - 24} 26`} className="link broken full dashed" />
      <path d={`M24 30H${WIDTH - 24}`} className="link must near" />
      <rect x={WIDTH / 2 - last.length * 3.1 - 5} y="0" width={last.length * 6.2 + 10} height="13" className="chain-back" />
      <text className="chain-last" x={WIDTH / 2} y="10">
        {last}
      </text>
      {nodes.map((node, i) => {
        const text = isId(node) ? String(node) : `${node.folded} more`;
        const width = 10 + text.length * 6.6;
        return (
          <g key={at(i)}>
            <rect x={at(i) - width / 2} y="22" width={width} height="16" className="chain-back" />
            <text className="chain-row" x={at(i)} y="34">
              {text}
            </text>
            {isId(node) && isId(nodes[i + 1]) && (
              <text className="chain-from" x={at(i) + step / 2} y="47">
                {from(node, nodes[i + 1] as RowId)}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

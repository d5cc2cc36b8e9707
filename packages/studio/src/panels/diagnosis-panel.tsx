/** Can it hold, how hard is it, what to do about it. */
import type { DiagnosisReply } from "@coterie/workbench/protocol";
import { useState } from "react";
import { useProject, useSession } from "../page/context.js";
import { go, viewAddress } from "../page/router.js";
import { contradictionsOf, keptWords } from "../state/knowledge.js";
import { newestDone, rowsOf, shownRun } from "../state/lookups.js";
import { spoken } from "../state/spoken.js";
import { Button, LinkButton, Meter, Power } from "../ui/controls.js";
import { counted, fixed, power } from "../ui/format.js";
import { Icon } from "../ui/icons.js";
import { Contradictions } from "./contradictions.js";
import { type Diagnosis, hardestOf, leastWords, rulerOf } from "./diagnosis.js";
import { Disagreements } from "./disagreements.js";
import { NotFeasible, showCore } from "./not-feasible.js";

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
    reply.milliseconds < 1000 ? `${Math.max(1, Math.round(reply.milliseconds))} ms` : `${fixed(reply.milliseconds / 1000, 1)} s`;
  return reply.partial || checking ? "still checking…" : `checked in ${time}`;
}

function Findings({ reply, known }: { readonly reply: DiagnosisReply; readonly known: number }) {
  const diagnosis = reply.diagnosis as Diagnosis;
  const contradictions = contradictionsOf(reply.diagnosis);
  if (known === 0)
    return <p className="help">Nothing is known yet, so everything is possible. Each answer is checked here as it comes.</p>;
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
  const { deeds } = useSession();
  const session = useSession();
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
            onClick={() => void deeds.change({ k: cell.k })}
          >
            {cell.k}
          </button>
        ))}
      </span>
      {least !== null && least > 2 && (
        <span className="under">
          {leastWords(least)} <LinkButton onClick={() => void showCore(session, least - 1)}>Show core</LinkButton>
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
      <span>Whether {counted(reply.k!, "cluster")} can hold it is not decided yet</span>
      <Button look="small-button" disabled={reply.partial} onClick={() => void more()}>
        Keep trying
      </Button>
    </div>
  );
}

function Clusterings({ diagnosis }: { readonly diagnosis: Diagnosis }) {
  const log10 = diagnosis.feasibleClusterings?.atMostK.log10 ?? null;
  const vertices = diagnosis.graph?.vertices ?? 0;
  const { k, rows } = useProject((state) => ({ k: state.diagnosis?.k ?? 0, rows: state.project.rows }));
  if (log10 === null || vertices === 0 || k < 2) return null;
  // Rows that nobody spoke about are in the count, with k choices each: so an answer never makes it grow.
  const joined = (diagnosis.components ?? []).reduce((sum, { members }) => sum + members.length - 1, 0);
  const free = rows - joined - vertices;
  const all = rows * Math.log10(k);
  const left = log10 + free * Math.log10(k);
  return (
    <div className="fact">
      <span>Clusterings still possible</span>
      <span className="big">
        <Power parts={power(left)} />
      </span>
      <Meter share={all === 0 ? 0 : left / all} />
      <span className="under">
        of <Power parts={power(all)} /> for all {counted(rows, "row")}
      </span>
    </div>
  );
}

function Hardest({ diagnosis }: { readonly diagnosis: Diagnosis }) {
  const { deeds, store } = useSession();
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
                    deeds.light({ title: `Hardest to place: ${ids.join(", ")}`, rows: rowsOf(store.get(), ids), links: [] })
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

/** The alerts above have buttons for the first contradiction and for too few clusters. */
function unsaidAdvice({ advice, diagnosis }: DiagnosisReply): DiagnosisReply["advice"] {
  const first = advice.find(({ sentence }) => /^These \d+ answers cannot all hold/.test(sentence));
  const isShown = (diagnosis as Diagnosis).feasible === false;
  return advice.filter((each) => each !== first && !(isShown && (each.action?.type === "k" || each.button === "Show core")));
}

/** Pieces of advice before the rest is folded away: the form below is to be seen. */
const FIRST = 2;

function Advice({ reply }: { readonly reply: DiagnosisReply }) {
  const session = useSession();
  const act = (action: NonNullable<DiagnosisReply["advice"][number]["action"]>) => {
    const { deeds, store, id } = session;
    switch (action.type) {
      case "drop":
        return void deeds.drop(action.entries);
      case "k":
        return void deeds.change({ k: action.k });
      case "show":
        if (action.rows.length === 2) deeds.pickAll(action.rows);
        return deeds.light({ title: "", rows: action.rows, links: [] });
      case "ask": {
        // The advice is about the newest run, so that run comes on the screen.
        const newest = newestDone(store.get().runs);
        if (action.cluster !== null && newest) void deeds.colour({ by: "run", run: newest.number });
        return go(viewAddress(id, "ask", action.cluster === null ? {} : { about: String(action.cluster) }));
      }
      case "method":
        return store.set({ method: { algorithm: action.algorithm, options: {}, seed: 0 } });
    }
  };
  const [isOpen, setOpen] = useState(false);
  const advice = unsaidAdvice(reply);
  // One line more is no longer than the words that would stand for it.
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
            {counted(advice.length - FIRST, "more piece", "more pieces")} of advice
          </LinkButton>
        </div>
      )}
    </>
  );
}

/** One quiet line when nothing is wrong. */
function AllWell({
  contradictions,
  diagnosis,
  least,
}: {
  readonly contradictions: number;
  readonly diagnosis: Diagnosis;
  readonly least: number | null;
}) {
  const { run, constraints } = useProject((state) => ({ run: shownRun(state), constraints: state.knowledge.constraints }));
  if (contradictions > 0 || diagnosis.feasible !== true || !run || run.broken !== 0 || run.given === 0) return null;
  return (
    <p className="help all-well">
      <b className="good">{keptWords(run, constraints)}</b>{" "}
      <span className="quiet">no contradiction{least === null ? "" : `, feasible from ${counted(least, "cluster")}`}</span>
    </p>
  );
}

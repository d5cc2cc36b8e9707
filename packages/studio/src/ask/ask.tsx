/** One question at a time: the rows on the map, their differences, the answers, and what the last answer changed. */
import { colourOf, counted, formatCount } from "@coterie/figures/layout";
import {
  type Answered,
  askedBy,
  type ErrorRate,
  type GivenAnswer,
  ODD_KEYS,
  QUESTION_KEYS,
  type Standing,
} from "@coterie/workbench/protocol";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { css } from "../map/drawing/colours.js";
import { stylesOf } from "../map/drawing/marks.js";
import { usePalette } from "../map/drawing/palette.js";
import { GroupKeys } from "../map/legend.js";
import { isEqualScale, namePlaces, scattered } from "../map/naming.js";
import { Links, Names, Ring } from "../map/overlay.js";
import { Plot, type PlotHandle } from "../map/plot.js";
import { RowCard } from "../map/row-card.js";
import { RowTable } from "../map/row-table.js";
import { ColourPicker } from "../map/tools.js";
import { useApp, useProject, useSession } from "../page/context.js";
import { keyTitle, useKeys } from "../page/keys.js";
import { Glyph, LetterKey } from "../page/marks.js";
import { Problems } from "../page/problems.js";
import { go, viewAddress } from "../page/router.js";
import { useGroups, useLinks } from "../page/shown.js";
import { TableButton, useTables } from "../page/tables.js";
import type { Groups } from "../state/groups.js";
import { originOf, sentenceOf } from "../state/knowledge.js";
import { layersOf, pathOf } from "../state/links.js";
import { idOf } from "../state/lookups.js";
import type { Layout } from "../state/model.js";
import type { Session } from "../state/session.js";
import { type Box, boundsOf, fit, toData, toScreen, type View } from "../state/view.js";
import { Button, Cap, Power } from "../ui/controls.js";
import { power } from "../ui/format.js";
import { Icon } from "../ui/icons.js";
import { MenuButton, MenuItem, Picker } from "../ui/popup.js";
import { Scroll } from "../ui/scroll.js";
import { Waiting } from "../ui/waiting.js";
import { Question } from "./question.js";
import "../panels/panels.css";
import "./ask.css";

const FIRST_PLAN: Plan = { strategy: null, budget: 20, about: null, errorRate: 0 };

export function Ask({ query }: { readonly query: Readonly<Record<string, string>> }) {
  const session = useSession();
  const me = useApp((state) => state.me);
  const ask = useProject((state) => state.ask);
  const about = /^\d+$/.test(query.about ?? "") ? Number(query.about) : null;
  const [plan, setPlan] = useState<Plan>(() => ({ ...FIRST_PLAN, about, budget: Math.max(FIRST_PLAN.budget, ask?.budget ?? 0) }));
  const [busy, setBusy] = useState(false);
  const [stopped, setStopped] = useState(false);
  const undone = useProject(({ knowledge }) => knowledge.upTo);
  const reading = useProject(({ project }) => JSON.stringify(project.reading));
  const shown = useProject(({ colouring }) => (colouring.by === "run" ? colouring.run : null));
  const errorRate = useWeighs(plan) ? plan.errorRate : 0;
  const load = useCallback(() => askNext(session, me, { ...plan, errorRate }), [session, me, plan, errorRate]);
  const working = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new question is needed after answers of other people, another reading of the table, or another run on the map
  useEffect(() => {
    if (!working.current) void load();
  }, [load, undone, reading, shown]);
  const answer = async (given: GivenAnswer) => {
    if (working.current || !ask?.question) return;
    working.current = true;
    setBusy(true);
    await session.actions.answer(ask.question, ask.strategy, given, errorRate);
    working.current = false;
    setBusy(false);
  };
  useKeys({ [QUESTION_KEYS.stop.key]: () => setStopped(true) });
  return (
    <div className="ask">
      <AskMap plan={plan} onPlan={setPlan} />
      <aside className="ask-card" aria-label="Question">
        <Budget onStop={() => setStopped(true)} stopped={stopped} />
        <Problems />
        {ask?.question && !stopped ? (
          <Question
            key={ask.question.question}
            question={ask.question}
            busy={busy}
            onAnswer={(given) => void answer(given)}
            onUndo={() => void session.actions.undo()}
          />
        ) : (
          <Finished stopped={stopped} onMore={(budget) => setPlan({ ...plan, budget })} onGoOn={() => setStopped(false)} />
        )}
        <LastAnswer />
      </aside>
    </div>
  );
}

const MARKS = { same: "same", different: "different", unsure: "unsure", odd: "same" } as const;

/** Shows the questions of the budget as boxes: an answered question is filled for "same", hollow for "different", grey for "don't know". */
function Budget({ onStop, stopped }: { readonly onStop: () => void; readonly stopped: boolean }) {
  const ask = useProject((state) => state.ask);
  if (!ask) return <div className="bar ask-bar" />;
  const { budget, answered, history, question, worth } = ask;
  const shown = Math.min(budget, 60);
  const first = Math.max(0, Math.min(answered - shown + 5, budget - shown));
  return (
    <div className="bar ask-bar">
      <b>Question {question ? answered + 1 : Math.max(1, answered)}</b>
      <span className="quiet">of {Math.max(budget, answered)}</span>
      <span className="budget" role="img" aria-label={`${answered} of ${budget} questions answered`}>
        {Array.from({ length: shown }, (_, i) => first + i).map((i) => (
          <i key={i} className={i < history.length ? MARKS[history[i]!] : i === answered && question ? "now" : ""} />
        ))}
      </span>
      {worth !== null && (worth.questions > 0 || !question) && (
        <span className="meta" title={worth.why}>
          {worthWords(worth.questions, budget - answered)}
          <span className="visually-hidden">. {worth.why}</span>
        </span>
      )}
      <Button look="ghost small-button" aria-keyshortcuts={QUESTION_KEYS.stop.key} disabled={stopped} onClick={onStop}>
        Stop{" "}
        <span aria-hidden="true">
          <Cap>{QUESTION_KEYS.stop.key.toUpperCase()}</Cap>
        </span>
      </Button>
    </div>
  );
}

export function worthWords(worth: number, left: number): string {
  if (worth === 0) return "no more questions are worth asking";
  if (worth < left) return `about ${counted(worth, "more question")} ${worth === 1 ? "is" : "are"} worth asking`;
  return left === 1 ? "the last question is worth asking" : `all ${formatCount(left)} remaining questions are worth asking`;
}

function keptWords(answers: number): string {
  if (answers === 0) return "There are no answers yet.";
  return answers === 1
    ? "1 answer is saved. The next run uses it."
    : `${counted(answers, "answer")} are saved. The next run uses them.`;
}

function Finished({ stopped, onMore, onGoOn }: { stopped: boolean; onMore: (budget: number) => void; onGoOn: () => void }) {
  const { id } = useSession();
  const ask = useProject((state) => state.ask);
  if (!ask) return <Waiting className="ask-question">Choosing the next question</Waiting>;
  const isSpent = ask.answered >= ask.budget;
  return (
    <div className="ask-question" role="status">
      <h1 className="question-title">
        {stopped ? "Stopped" : isSpent ? `${counted(ask.answered, "question")} answered` : "No more questions"}
      </h1>
      <p className="lead">{stopped ? keptWords(ask.answered) : ask.why}</p>
      <div className="row ask-next">
        <Button look="solid tall" onClick={() => go(viewAddress(id, "map"))}>
          Go to the map
        </Button>
        {stopped && !isSpent && (
          <Button look="tall" onClick={onGoOn}>
            Continue
          </Button>
        )}
        {isSpent && (
          <Button look="tall" onClick={() => onMore(Math.max(ask.budget, ask.answered) + 20)}>
            Ask 20 more questions
          </Button>
        )}
      </div>
    </div>
  );
}

/* The settings of the dialogue (strategy, budget, cluster, share of wrong answers), and the request for the next question. */

export interface Plan {
  readonly strategy: string | null;
  readonly budget: number;
  readonly about: number | null;
  readonly errorRate: ErrorRate;
}

async function askNext({ client, store, id, actions }: Session, by: string, plan: Plan): Promise<void> {
  const { strategy, ...asked } = plan;
  const { colouring } = store.get();
  const run = colouring.by === "run" ? colouring.run : null;
  try {
    const ask = await client.call("ask", { project: id, by, run, ...asked, ...(strategy === null ? {} : { strategy }) });
    store.set({ ask });
  } catch (error) {
    actions.fail(error);
  }
}

export function waysOf(
  moved: Answered["moved"],
): readonly { readonly from: number; readonly to: number; readonly ids: readonly (string | number)[] }[] {
  const ways = new Map<string, { from: number; to: number; ids: (string | number)[] }>();
  for (const { id, from, to } of moved) {
    const key = `${from} ${to}`;
    const way = ways.get(key) ?? { from, to, ids: [] };
    ways.set(key, way);
    way.ids.push(id);
  }
  return [...ways.values()].sort((a, b) => b.ids.length - a.ids.length);
}

function LastAnswer() {
  return (
    <div className="last-answer">
      <Scroll label="Your last answer" className="last-changes">
        <div aria-live="polite">
          <Changes />
        </div>
      </Scroll>
      <AnsweredList />
    </div>
  );
}

function Changes() {
  const answered = useProject((state) => state.answered);
  if (!answered) return <p className="quiet">The effects of your answer are shown here.</p>;
  const { entry, moved, clusterings, broken, implied } = answered;
  const words = entry.change.type === "add" ? sentenceOf(entry.change.constraint) : "";
  const ways = waysOf(moved);
  return (
    <>
      <h2 className="small-title">Your last answer, {words}</h2>
      <table className="mini">
        <tbody>
          {implied > 0 && (
            <tr>
              <td className="quiet">Implied pairs</td>
              <td className="num">{formatCount(implied)}</td>
            </tr>
          )}
          {clusterings.after !== null && (
            <tr>
              <td className="quiet">Possible clusterings</td>
              <td className="num">
                {clusterings.before !== null && clusterings.before !== clusterings.after && (
                  <span className="mark-key">
                    <span>
                      <Power parts={power(clusterings.before)} />
                    </span>
                    <Icon name="arrow" />
                  </span>
                )}{" "}
                <b>
                  <Power parts={power(clusterings.after)} />
                </b>
              </td>
            </tr>
          )}
          <tr>
            <td className="quiet strong" colSpan={2}>
              In the clusters that decide the questions
            </td>
          </tr>
          <tr>
            <td className="quiet">Rows that moved</td>
            <td className="num">
              <b>{formatCount(moved.length)}</b>
            </td>
          </tr>
          {ways.slice(0, 4).map(({ from, to, ids }) => (
            <tr key={`${from} ${to}`}>
              <td className="quiet cut">
                {ids.slice(0, 4).join(", ")}
                {ids.length > 4 ? ` and ${formatCount(ids.length - 4)} more` : ""}
              </td>
              <td className="num">
                <Way from={from} to={to} />
              </td>
            </tr>
          ))}
          <tr>
            <td className="quiet">Answers broken</td>
            <td className="num">
              {broken.before === broken.after ? `${broken.after}, unchanged` : `${broken.before} → ${broken.after}`}
            </td>
          </tr>
        </tbody>
      </table>
    </>
  );
}

function Way({ from, to }: { readonly from: number; readonly to: number }) {
  return (
    <span className="mark-key">
      <LetterKey slot={from} />
      <Icon name="arrow" />
      <span className="visually-hidden">to</span>
      <LetterKey slot={to} />
    </span>
  );
}

function AnsweredList() {
  const { constraints, moves } = useProject((state) => ({ constraints: state.knowledge.constraints, moves: state.moves }));
  const me = useApp((state) => state.me);
  const asked = constraints.filter(({ from, by }) => from.kind === "asked" && by === me).reverse();
  return (
    <div className="answered-list">
      <h2 className="small-title">
        Answered <span className="count">{asked.length}</span>
      </h2>
      <Scroll label="Answers given">
        <ul>
          {asked.slice(0, 100).map((standing) => (
            <li
              key={standing.entry}
              className={`knowledge-row answered-row ${standing.counts ? "" : "off"}`}
              title={standing.because}
            >
              <Glyph type={standing.constraint.type} />
              <span className="cut knowledge-words">{sentenceOf(standing.constraint)}</span>
              <span className="small knowledge-origin">
                {originOf(standing, moves.get(standing.entry)).replace(/^asked(, )?/, "")}
              </span>
              <Revise standing={standing} />
            </li>
          ))}
        </ul>
      </Scroll>
    </div>
  );
}

function Revise({ standing }: { readonly standing: Standing }) {
  const { actions } = useSession();
  const { constraint, from } = standing;
  const asked = askedBy(constraint, from.kind === "asked" ? from.odd : undefined)!;
  const { same, different, unsure } = QUESTION_KEYS;
  const answers: readonly (readonly [GivenAnswer, string])[] = [
    ...(asked.kind === "pair"
      ? ([same, different] as const).map(({ word }) => [word, keyTitle(word)] as const)
      : ODD_KEYS.map((key, i) => [key, `${asked.ask[i]} is the odd one`] as const)),
    ["unsure", keyTitle(unsure.word)],
  ];
  return (
    <MenuButton label="Another answer" name={`Revise ${sentenceOf(constraint)}`} className="tag-button" content="Revise">
      {answers.map(([given, words]) => (
        <MenuItem key={given} disabled={given === asked.answer} onPick={() => void actions.revise(standing, given)}>
          {words}
        </MenuItem>
      ))}
    </MenuButton>
  );
}

/*
 * The map beside the question. The rows of the question and the rows that the last answer moved have full colour; all other rows are faded.
 */

function AskMap({ plan, onPlan }: { readonly plan: Plan; readonly onPlan: (plan: Plan) => void }) {
  const layout = useProject((state) => state.layout);
  const [view, setView] = useState<View | null>(null);
  const isTable = useTables();
  return (
    <main className="stage">
      <div className="bar">
        <AboutPicker plan={plan} onPlan={onPlan} />
        <StrategyPicker plan={plan} onPlan={onPlan} />
        <WrongPicker plan={plan} onPlan={onPlan} />
        <ColourPicker />
        <span className="grow" />
        <span className="quiet faded-words">Other rows are faded</span>
        <span className="divider" />
        <Button look="ghost small-button fit-button" onClick={() => setView(null)}>
          Fit all
        </Button>
      </div>
      {isTable ? (
        <RowTable />
      ) : layout ? (
        <QuestionMap layout={layout} view={view} onView={setView} />
      ) : (
        <Waiting>Drawing the map</Waiting>
      )}
      <div className="bar foot">
        <GroupKeys />
        <span className="grow" />
        <TableButton />
        <span className="saved-words">Each answer is saved before the next question</span>
      </div>
    </main>
  );
}

interface PlanProps {
  readonly plan: Plan;
  readonly onPlan: (plan: Plan) => void;
}

function AboutPicker({ plan, onPlan }: PlanProps) {
  const groups = useGroups();
  const clusters = groups.kind === "clusters" ? groups.groups : [];
  const choices = [
    { value: "any", label: "all clusters" },
    ...clusters.map(({ cluster, letter, name }) => ({ value: String(cluster), label: `${letter} ${name}`.trim() })),
  ];
  return (
    <Picker
      name="Ask about"
      look="picker steady"
      label="Ask about"
      value={plan.about === null ? "any" : String(plan.about)}
      choices={choices}
      onChange={(word) => onPlan({ ...plan, about: word === "any" ? null : Number(word) })}
    />
  );
}

function StrategyPicker({ plan, onPlan }: PlanProps) {
  const strategies = useApp(({ info }) => info?.strategies);
  const used = useProject(({ ask }) => ask?.strategy);
  if (!strategies) return null;
  return (
    <Picker
      name="Strategy"
      label="Strategy"
      value={plan.strategy ?? used ?? null}
      choices={strategies.map(({ name, title, asks }) => ({
        value: name,
        label: title,
        note: asks === "pair" ? "two rows" : "three rows",
      }))}
      onChange={(strategy) => onPlan({ ...plan, strategy })}
    />
  );
}

function useWeighs({ strategy }: Plan): boolean {
  const strategies = useApp(({ info }) => info?.strategies);
  const used = useProject(({ ask }) => ask?.strategy);
  return strategies?.find(({ name }) => name === (strategy ?? used))?.weighs ?? false;
}

const RATES: readonly { readonly rate: ErrorRate; readonly label: string; readonly note: string }[] = [
  { rate: 0, label: "none", note: "every answer is certain" },
  { rate: 0.05, label: "1 in 20", note: "answers can outweigh each other" },
  { rate: 0.1, label: "1 in 10", note: "answers can outweigh each other" },
  { rate: 0.2, label: "1 in 5", note: "answers can outweigh each other" },
  { rate: "learn", label: "estimate", note: "from the answers" },
];

function WrongPicker({ plan, onPlan }: PlanProps) {
  if (!useWeighs(plan)) return null;
  return (
    <Picker
      name="Wrong answers"
      look="picker steady"
      label="Answers that may be wrong"
      value={String(plan.errorRate)}
      choices={RATES.map(({ rate, label, note }) => ({ value: String(rate), label, note }))}
      onChange={(word) => onPlan({ ...plan, errorRate: word === "learn" ? word : Number(word) })}
    />
  );
}

/**
 * The part of the map to show for a question. It is centred on the rows of the question, 1.6 times closer than the whole map. If these rows
 * do not fit, it is the whole map.
 */
function questionView(layout: Layout, rows: readonly number[], box: Box): View {
  const all = fit(boundsOf(layout.xy), box, isEqualScale(layout));
  const { minX, maxX, minY, maxY } = boundsOf(layout.xy, rows);
  const [kx, ky] = [all.kx * 1.6, all.ky * 1.6];
  if ((maxX - minX) * kx > box.width * 0.7 || (maxY - minY) * ky > box.height * 0.7) return all;
  return { x: (minX + maxX) / 2, y: (minY + maxY) / 2, kx, ky };
}

function QuestionMap({ layout, view, onView }: { layout: Layout; view: View | null; onView: (view: View | null) => void }) {
  const { store } = useSession();
  const { question, answered, hovered } = useProject(({ ask, answered: last, hovered: over }) => ({
    question: ask?.question ?? null,
    answered: last,
    hovered: over,
  }));
  const groups = useGroups();
  const { links, known } = useLinks();
  const rows = useMemo(() => (question?.rows ?? []).filter((row) => row < layout.n), [question, layout]);
  const moved = useMemo(() => (answered?.moved ?? []).filter(({ row }) => row < layout.n).slice(0, 200), [answered, layout]);
  const near = useMemo(() => links.filter(({ a, b }) => rows.includes(a) || rows.includes(b)), [links, rows]);
  const strong = useMemo(
    () => new Set([...rows, ...moved.map(({ row }) => row), ...near.flatMap(({ a, b }) => [a, b])]),
    [rows, moved, near],
  );
  const styles = useMemo(
    () =>
      stylesOf(groups, {
        known: new Set([...known].filter((row) => strong.has(row))),
        strong: rows.length > 0 ? strong : undefined,
      }),
    [groups, known, strong, rows],
  );
  const layers = useMemo(() => layersOf(near, new Set(rows)), [near, rows]);
  const places = useMemo(() => namePlaces(groups, layout), [groups, layout]);
  const [box, setBox] = useState<Box | null>(null);
  useEffect(() => {
    if (box && rows.length > 0) onView(questionView(layout, rows, box));
  }, [box, rows, layout, onView]);
  const overlay = (window: PlotHandle) => (
    <>
      <BoxReader box={window.box} onBox={setBox} />
      <Links layers={layers} layout={layout} {...window} />
      {moved.slice(0, 30).map(({ row }, i) => {
        const text = i < 5 && !rows.includes(row) ? { text: `${idOf(store.get(), row)} moved` } : {};
        return (
          <Ring
            key={row}
            row={row}
            slot={groups.slots[row] ?? -1}
            kind="cursor"
            side="start"
            layout={layout}
            {...text}
            {...window}
          />
        );
      })}
      {rows.length >= 2 && (
        <path
          className="link asked"
          d={pathOf(
            rows.slice(1).map((b) => ({ a: rows[0]!, b })),
            layout.xy,
            window.view,
            window.box,
          )}
        />
      )}
      {rows.map((row, i) => (
        <Ring
          key={row}
          row={row}
          slot={groups.slots[row] ?? -1}
          side={i === 0 ? "start" : "end"}
          text={String(idOf(store.get(), row))}
          layout={layout}
          {...window}
        />
      ))}
      <Names groups={groups} places={places} layout={layout} {...window} />
    </>
  );
  return (
    <div className="map-area">
      <Plot
        layout={layout}
        groups={groups}
        styles={styles}
        label={`Map of ${layout.n} rows with the rows of the question`}
        view={view}
        onView={onView}
        pointer={{ tool: "pan", onHover: (row) => store.set({ hovered: row }) }}
        floating={(window) => (
          <>
            <Minimap layout={layout} groups={groups} window={window} rows={rows} />
            {hovered !== null && <RowCard row={hovered} window={window} layout={layout} />}
          </>
        )}
      >
        {overlay}
      </Plot>
    </div>
  );
}

function BoxReader({ box, onBox }: { readonly box: Box; readonly onBox: (box: Box) => void }) {
  useEffect(() => onBox(box), [box, onBox]);
  return null;
}

const MOST_SHOWN = 5_000;
const SIZE = { width: 136, height: 104 };
const ROOM = { width: SIZE.width + 48, height: SIZE.height + 72 };

function Minimap({
  layout,
  groups,
  window: { view, box },
  rows = [],
}: {
  readonly layout: Layout;
  readonly groups: Groups;
  readonly window: PlotHandle;
  /** Rows that the small overview map must not cover. If it would cover such a row, the overview map moves to the upper corner. */
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

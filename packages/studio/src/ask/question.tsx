/**
 * Shows a question: its rows side by side, with the most different columns first, and the number of further pairs that each answer settles.
 */
import { colourOf, counted, formatCount, formatFixed, nearDifference, shapePath } from "@coterie/figures/layout";
import { type GivenAnswer, ODD_KEYS, QUESTION_KEYS, type QuestionReply } from "@coterie/workbench/protocol";
import { useEffect, useMemo, useRef } from "react";
import { type Gap, gapsOf, numberOf } from "../map/gaps.js";
import { useRows } from "../map/rows.js";
import { useProject } from "../page/context.js";
import { keyTitle, useKeys } from "../page/keys.js";
import { Mark } from "../page/marks.js";
import { useGroups } from "../page/shown.js";
import { sentenceOf } from "../state/knowledge.js";
import type { RowId } from "../state/model.js";
import { Cap } from "../ui/controls.js";
import { CutName } from "../ui/cut-name.js";
import { cell } from "../ui/format.js";
import { Icon } from "../ui/icons.js";
import { Scroll } from "../ui/scroll.js";

const WIDTH = 184;

const BASE = 26.5;

interface QuestionProps {
  readonly question: QuestionReply;
  readonly busy: boolean;
  readonly onAnswer: (answer: GivenAnswer) => void;
  readonly onUndo: () => void;
}

const NEARLY = 0.3;
const MOST = 40;

export function Question({ question, busy, onAnswer, onUndo }: QuestionProps) {
  const isPair = question.kind === "pair";
  const title = isPair ? "Do these two belong together?" : "Which row is least like the other two?";
  const head = useRef<HTMLHeadingElement>(null);
  // Focus the question, never an answer: a key press that was meant for another control must not give an answer.
  useEffect(() => {
    if (document.activeElement === document.body) head.current?.focus({ preventScroll: true });
  }, []);
  return (
    <>
      <div className="ask-question">
        <div aria-live="polite">
          <h1 ref={head} tabIndex={-1} className="question-title">
            {title}
          </h1>
          <p className="lead">
            <span className="visually-hidden">
              {isPair ? `Rows ${question.ids.join(" and ")}. ` : `Rows ${question.ids.join(", ")}. `}
            </span>
            {question.why}
          </p>
        </div>
      </div>
      <Scroll label="Rows side by side" className="ask-rows">
        <RowsTable question={question} />
      </Scroll>
      {isPair ? (
        <PairAnswers question={question} busy={busy} onAnswer={onAnswer} onUndo={onUndo} />
      ) : (
        <OddAnswers question={question} busy={busy} onAnswer={onAnswer} onUndo={onUndo} />
      )}
    </>
  );
}

function RowsTable({ question }: { readonly question: QuestionReply }) {
  const columns = useProject((state) => state.columns);
  const total = useProject(({ project }) => project.rows);
  const rows = useRows(question.rows);
  const gaps = useMemo(() => (rows.length === question.rows.length ? gapsOf(columns, rows) : []), [columns, rows, question]);
  const groups = useGroups();
  const slots = question.rows.map((row) => groups.slots[row] ?? -1);
  const used = gaps.filter(({ column }) => column.role === "feature");
  const wide = used.filter(({ gap }) => gap === null || gap >= NEARLY);
  const close = used.filter(({ gap }) => gap !== null && gap < NEARLY);
  const others = gaps.filter(({ column }) => column.role !== "feature" && column.role !== "truth");
  const isPair = question.kind === "pair";
  const head = (i: number) => (
    <th scope="col" className="num" key={i}>
      <span className="mark-key row-head">
        <Mark slot={slots[i]!} />
        <b>{String(question.ids[i])}</b>
      </span>
    </th>
  );
  const body = (gap: Gap, isWide: boolean) => (
    <GapRow key={gap.column.name} gap={gap} slots={slots} isPair={isPair} wide={isWide} />
  );
  return (
    <table className="table question-table">
      <thead>
        <tr>
          <th scope="col">Widest gap first</th>
          {head(0)}
          {isPair && (
            <th scope="col" className="centre" colSpan={2}>
              all {formatCount(total)} rows
            </th>
          )}
          {head(1)}
          {!isPair && head(2)}
          <th scope="col" className="num">
            Gap
          </th>
        </tr>
      </thead>
      <tbody>
        {wide.slice(0, MOST).map((gap) => body(gap, true))}
        {wide.length > MOST && <GroupRow words={`${counted(wide.length - MOST, "more column")} with smaller gaps`} />}
        {close.length > 0 && <GroupRow words="Nearly equal" />}
        {close.slice(0, MOST).map((gap) => body(gap, false))}
        {close.length > MOST && <GroupRow words={`${close.length - MOST} more nearly equal columns`} />}
        {others.length > 0 && <GroupRow words="Not used as features" />}
        {others.slice(0, MOST).map((gap) => (
          <OtherRow key={gap.column.name} gap={gap} isPair={isPair} />
        ))}
        {others.length > MOST && <GroupRow words={`${others.length - MOST} more unused columns`} />}
      </tbody>
    </table>
  );
}

function GroupRow({ words }: { readonly words: string }) {
  return (
    <tr className="group">
      <td colSpan={6}>{words}</td>
    </tr>
  );
}

function GapRow({
  gap,
  slots,
  isPair,
  wide,
}: {
  readonly gap: Gap;
  readonly slots: readonly number[];
  readonly isPair: boolean;
  readonly wide: boolean;
}) {
  const { column, cells } = gap;
  const isWords = isPair && isLong(gap);
  const value = (i: number) => {
    const text = cell(cells[i]);
    if (isWords) return <WordsCell text={text} other={cell(cells[1 - i])} wide={wide} />;
    return (
      <td className={`num ${wide && text.length <= LARGE ? "wide-value" : ""}`} title={text}>
        {text}
      </td>
    );
  };
  return (
    <tr>
      <td>
        <CutName name={column.name} />
      </td>
      {value(0)}
      {isPair && !isWords && (
        <td className="strip-cell" colSpan={2}>
          <Strip gap={gap} slots={slots} />
        </td>
      )}
      {value(1)}
      {!isPair && value(2)}
      <td className="num quiet">{gapWords(gap)}</td>
    </tr>
  );
}

function isLong(gap: Gap): boolean {
  return !hasStrip(gap) && gap.cells.some((value) => cell(value).length > NARROW);
}

const NARROW = 11;

/** Values of up to this number of characters are shown in large print. Longer values, such as dates, do not fit in large print. */
const LARGE = 8;

/**
 * A cell with text in the table of a question. Numbers have a strip (a small chart) beside their cell. Text has none, so its cell also
 * covers the space of the strip. Letters that differ from the text of the other row are marked.
 */
function WordsCell({ text, other, wide }: { readonly text: string; readonly other: string; readonly wide: boolean }) {
  const pieces = nearDifference(text, other);
  return (
    <td className={`num words-cell ${wide && text.length <= SHORT ? "wide-value" : ""}`} colSpan={2} title={text}>
      <span className="lines">
        {/* The index is a valid key, because the pieces of a text never change their order. */}
        {pieces === null
          ? text
          : // biome-ignore lint/suspicious/noArrayIndexKey: as above.
            pieces.map(({ text: letters, same }, at) => (same ? letters : <mark key={at}>{letters}</mark>))}
      </span>
    </td>
  );
}

/** Texts of up to this number of characters are shown in the large print of numbers. */
const SHORT = 16;

function OtherRow({ gap, isPair }: { readonly gap: Gap; readonly isPair: boolean }) {
  const value = (i: number) =>
    isPair && isLong(gap) ? (
      <WordsCell text={cell(gap.cells[i])} other={cell(gap.cells[1 - i])} wide={false} />
    ) : (
      <td className="num cut" title={cell(gap.cells[i])}>
        {cell(gap.cells[i])}
      </td>
    );
  return (
    <tr className="quiet other-row">
      <td>
        <CutName name={gap.column.name} />
      </td>
      {value(0)}
      {isPair && !isLong(gap) && <td colSpan={2} />}
      {value(1)}
      {!isPair && value(2)}
      <td className="num">{gapWords(gap)}</td>
    </tr>
  );
}

function gapWords({ column, gap }: Gap): string {
  if (gap === null) return "missing";
  if (column.kind !== "number" && column.kind !== "date") return gap > 0 ? "differs" : "equal";
  return `${formatFixed(gap, 2)} sd`;
}

function useUndoWords(): string {
  return useProject(({ knowledge }) => {
    const standing = knowledge.constraints.find(({ entry }) => entry === knowledge.undo);
    return standing ? sentenceOf(standing.constraint) : "";
  });
}

function settled(question: QuestionReply, answer: string): string {
  const more = question.settles[answer];
  return more === undefined || more === 0 ? "settles this pair" : `settles ${counted(more, "more pair")}`;
}

function PairAnswers({ question, busy, onAnswer, onUndo }: QuestionProps) {
  const last = useUndoWords();
  const { same, different, unsure } = QUESTION_KEYS;
  useKeys({
    [same.key]: () => onAnswer("same"),
    [different.key]: () => onAnswer("different"),
    [unsure.key]: () => onAnswer("unsure"),
  });
  return (
    <div className="ask-answers">
      <div className="answers">
        <button type="button" className="button large solid" aria-disabled={busy} onClick={() => onAnswer("same")}>
          <KeyWord of={same} />
        </button>
        <button type="button" className="button large solid" aria-disabled={busy} onClick={() => onAnswer("different")}>
          <KeyWord of={different} />
        </button>
        <OtherAnswers busy={busy} last={last} onAnswer={onAnswer} onUndo={onUndo} />
      </div>
      <div className="answers answer-notes quiet small">
        <span>{settled(question, "same")}</span>
        <span>{settled(question, "different")}</span>
        <span>skips this question</span>
        <span className="cut">{last}</span>
      </div>
    </div>
  );
}

function KeyWord({ of: { key, word } }: { readonly of: { readonly key: string; readonly word: string } }) {
  return (
    <>
      {keyTitle(word)} <Cap>{key.toUpperCase()}</Cap>
    </>
  );
}

function OtherAnswers({
  busy,
  last,
  onAnswer,
  onUndo,
}: Pick<QuestionProps, "busy" | "onAnswer" | "onUndo"> & { readonly last: string }) {
  return (
    <>
      <button type="button" className="button large" aria-disabled={busy} onClick={() => onAnswer("unsure")}>
        <KeyWord of={QUESTION_KEYS.unsure} />
      </button>
      <button type="button" className="button large ghost" disabled={last === ""} onClick={onUndo}>
        <Icon name="undo" />
        <KeyWord of={QUESTION_KEYS.undo} />
      </button>
    </>
  );
}

function OddAnswers({ question, busy, onAnswer, onUndo }: QuestionProps) {
  const last = useUndoWords();
  const places = ODD_KEYS.flatMap((letter, i) => [letter, String(i + 1)].map((key) => [key, () => onAnswer(letter)] as const));
  useKeys({ ...Object.fromEntries(places), [QUESTION_KEYS.unsure.key]: () => onAnswer("unsure") });
  const ids: readonly RowId[] = question.ids;
  return (
    <div className="ask-answers">
      <div className="answers odd">
        {ODD_KEYS.map((letter, i) => (
          <button key={letter} type="button" className="button large solid" aria-disabled={busy} onClick={() => onAnswer(letter)}>
            <span className="cut">{String(ids[i])}</span> <Cap>{letter.toUpperCase()}</Cap>
          </button>
        ))}
        <OtherAnswers busy={busy} last={last} onAnswer={onAnswer} onUndo={onUndo} />
      </div>
    </div>
  );
}

/*
 * A strip: a small chart that shows where the two values of a question lie in a column. It has a histogram of all rows, a mark for each
 * value, and a line between the two marks.
 */

function hasStrip({ column: { min, max } }: Gap): boolean {
  return min !== undefined && max !== undefined;
}

function Strip({ gap: { column, cells }, slots }: { readonly gap: Gap; readonly slots: readonly number[] }) {
  const { min, max, counts } = column;
  if (min === undefined || max === undefined) return null;
  const most = Math.max(1, ...counts);
  const step = WIDTH / Math.max(1, counts.length);
  const bars = counts.map(
    (count, i) => `M${(i * step).toFixed(1)} 26v${((-20 * count) / most).toFixed(1)}h${(step * 0.92).toFixed(1)}V26z`,
  );
  const at = cells.map((cell) => {
    const value = numberOf(column, cell);
    return value === null ? null : ((value - min) / (max - min || 1)) * WIDTH;
  });
  const [first, second] = at;
  return (
    <svg className="strip" width={WIDTH} height="34" viewBox={`0 0 ${WIDTH} 34`} aria-hidden="true">
      <path d={bars.join("")} fill="var(--line)" />
      <path d={`M0 ${BASE}H${WIDTH}`} stroke="var(--line-2)" />
      {first !== null && first !== undefined && second !== null && second !== undefined && (
        <path d={`M${first} ${BASE}H${second}`} stroke="var(--ink)" strokeWidth="2" />
      )}
      {at.map((x, i) =>
        x === null ? null : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a question keep their order
          <path key={i} d={shapePath(slots[i]!, x, BASE, 4.8)} fill={`var(--c${colourOf(slots[i]!)})`} stroke="var(--panel)" />
        ),
      )}
    </svg>
  );
}

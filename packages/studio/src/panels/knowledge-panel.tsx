/** The panel with the list of answers: answers with problems first, then the newest answers. */
import { counted } from "@coterie/figures/layout";
import { type Constraint, rowsOf as idsOf, tallyOf } from "@coterie/workbench/protocol";
import { type KeyboardEvent, useMemo, useRef, useState } from "react";

import { tell, useProject, useSession, useStudio } from "../page/context.js";
import { useExport } from "../page/export-menu.js";
import { Glyph } from "../page/marks.js";
import { go, viewAddress } from "../page/router.js";
import { brokenKeys, contradictionsOf, type Listed, listOf, originOf, sentenceOf } from "../state/knowledge.js";
import { rowsOf, shownReport, shownRun } from "../state/lookups.js";
import type { Filter, RowId } from "../state/model.js";
import { spoken } from "../state/spoken.js";
import { Button, FileInput, IconButton, LinkButton, Segments } from "../ui/controls.js";
import { Dialog } from "../ui/dialog.js";
import { ago } from "../ui/format.js";
import { Icon } from "../ui/icons.js";
import { MenuButton, MenuItem, Picker } from "../ui/popup.js";
import { VirtualList } from "../ui/virtual-list.js";

function useListed() {
  const parts = useProject((state) => {
    const run = shownRun(state);
    return {
      knowledge: state.knowledge,
      diagnosis: state.diagnosis?.diagnosis,
      report: shownReport(state),
      run: run?.number ?? null,
    };
  });
  return useMemo(
    () => listOf(parts.knowledge, contradictionsOf(parts.diagnosis), brokenKeys(parts.report), parts.run),
    [parts.knowledge, parts.diagnosis, parts.report, parts.run],
  );
}

export function KnowledgePanel() {
  const constraints = useProject(({ knowledge }) => knowledge.constraints);
  const filter = useProject((state) => state.filter);
  const { store } = useSession();
  const [search, setSearch] = useState<string | null>(null);
  const { all, of: counts } = useMemo(() => tallyOf(constraints), [constraints]);
  const others = counts.unsure + counts.exclusive + counts.sizes;
  return (
    <section className="knowledge-panel" aria-label="Answers and constraints">
      <div className="section-head">
        <h2>Answers</h2>
        <span className="count grow">{all}</span>
        <UndoButtons />
        <IconButton
          icon="search"
          label="Filter"
          aria-pressed={search !== null}
          onClick={() => setSearch(search === null ? "" : null)}
        />
        <AddMenu />
      </div>
      {search !== null && (
        <div className="pad knowledge-search">
          <input
            className="field"
            type="search"
            aria-label="Search answers"
            placeholder="row, class or file"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </div>
      )}
      {constraints.length === 0 ? (
        <NoAnswers />
      ) : (
        <>
          <div className="pad knowledge-filter">
            <Segments<Filter>
              label="Kinds"
              wide
              value={filter}
              onChange={(next) => store.set({ filter: next })}
              options={[
                { value: "all", label: "All" },
                { value: "must-link", label: `= ${counts["must-link"]}` },
                { value: "cannot-link", label: `≠ ${counts["cannot-link"]}` },
                { value: "relative", label: `ab|c ${counts.relative}` },
                { value: "label", label: `label ${counts.label}` },
                ...(others > 0 || filter === "other" ? [{ value: "other" as const, label: `other ${others}` }] : []),
              ]}
            />
          </div>
          <KnowledgeList filter={filter} search={search ?? ""} />
        </>
      )}
      <KnowledgeDetail />
      <Exclusive />
    </section>
  );
}

function UndoButtons() {
  const { actions } = useSession();
  const { undo, redo } = useProject(({ knowledge }) => ({ undo: knowledge.undo, redo: knowledge.redo }));
  const button = (action: "undo" | "redo", label: string, disabled: boolean) => (
    <IconButton
      icon={action}
      label={label}
      look="ghost small-button"
      disabled={disabled}
      onClick={() => void actions[action]()}
    />
  );
  return (
    <>
      {button("undo", "Undo", undo === null)}
      {button("redo", "Redo", redo === null)}
    </>
  );
}

type Line = { readonly head: string; readonly count: number } | Listed;

function KnowledgeList({ filter, search }: { readonly filter: Filter; readonly search: string }) {
  const { needsYou, rest } = useListed();
  const { chosen, moves } = useProject((state) => ({ chosen: state.chosen, moves: state.moves }));
  const { actions, store } = useSession();
  const lines = useMemo(() => linesOf(needsYou, rest, filter, search), [needsYou, rest, filter, search]);
  const active = lines.findIndex((line) => "standing" in line && line.standing.entry === chosen);
  const choose = (index: number) => {
    const line = lines[index];
    if (!line || !("standing" in line)) return;
    actions.choose(line.standing);
    const [row] = rowsOf(store.get(), idsOf(line.standing.constraint));
    if (row !== undefined) store.set({ cursor: row });
  };
  const drop = () => {
    const line = lines[active];
    if (line && "standing" in line) void actions.drop([line.standing.entry]);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault();
      drop();
    }
  };
  return (
    <VirtualList
      label="Answers"
      className="knowledge-list"
      count={lines.length}
      rowHeight={24}
      active={active}
      isChoice={(index) => "standing" in lines[index]!}
      onActive={choose}
      onKey={onKey}
      renderRow={(index, isActive) => {
        const line = lines[index]!;
        return "standing" in line ? (
          <KnowledgeRow listed={line} active={isActive} moved={moves.get(line.standing.entry)} />
        ) : (
          <Head line={line} />
        );
      }}
    />
  );
}

function filterOf(type: Listed["standing"]["constraint"]["type"]): Filter {
  return type === "unsure" || type === "exclusive" || type === "sizes" ? "other" : type;
}

function linesOf(needsYou: readonly Listed[], rest: readonly Listed[], filter: Filter, search: string): readonly Line[] {
  const wanted = search.trim().toLowerCase();
  const matches = ({ standing }: Listed) =>
    (filter === "all" || filterOf(standing.constraint.type) === filter) &&
    (wanted === "" || `${sentenceOf(standing.constraint)} ${originOf(standing)} ${standing.by}`.toLowerCase().includes(wanted));
  const [first, second] = [needsYou.filter(matches), rest.filter(matches)];
  return [
    ...(first.length > 0 ? [{ head: "Problems", count: first.length }, ...first] : []),
    ...(second.length > 0 ? [{ head: "Newest first", count: second.length }, ...second] : []),
  ];
}

function Head({ line }: { readonly line: { readonly head: string; readonly count: number } }) {
  return (
    <span className="knowledge-head meta small">
      {line.head} {line.count}
    </span>
  );
}

function KnowledgeRow({
  listed,
  active,
  moved,
}: {
  readonly listed: Listed;
  readonly active: boolean;
  readonly moved: number | undefined;
}) {
  const { standing, trouble } = listed;
  return (
    <div className={`knowledge-row ${trouble ? "bad" : ""} ${active ? "chosen" : ""} ${standing.counts ? "" : "off"}`}>
      <Glyph type={standing.constraint.type} />
      <span className="cut knowledge-words">{sentenceOf(standing.constraint)}</span>
      <span className="small knowledge-origin cut">{trouble ?? originOf(standing, moved)}</span>
    </div>
  );
}

function NoAnswers() {
  const { actions, id } = useSession();
  const { app } = useStudio();
  const input = useRef<HTMLInputElement>(null);
  const take = async (file: File | undefined) => {
    const reply = file ? await actions.importFile(file, file.name.endsWith(".jsonl") ? "answers" : "constraints") : null;
    if (reply) tell(app, `${counted(reply.added, "answer")} from ${file!.name}`);
  };
  return (
    <div className="no-answers">
      <b>No answers yet</b>
      <p className="quiet">Pick two points on the map, or let Coterie ask about the most useful pairs.</p>
      <div className="row">
        <Button look="solid" onClick={() => go(viewAddress(id, "ask"))}>
          Start questions
        </Button>
        <Button onClick={() => input.current?.click()} aria-label="Import constraints">
          Import
        </Button>
        <FileInput label="Constraints file" input={input} onFiles={([file]) => void take(file)} />
      </div>
    </div>
  );
}

/*
 * A column whose equal values keep rows apart, such as "at most one per source": two rows with the same source must be in different
 * clusters.
 */

function Exclusive() {
  const { actions } = useSession();
  const { columns, knowledge } = useProject((state) => ({ columns: state.columns, knowledge: state.knowledge }));
  const standing = knowledge.constraints.filter(({ constraint }) => constraint.type === "exclusive").at(-1);
  const value = standing?.constraint.type === "exclusive" ? standing.constraint.column : null;
  const choose = (column: string) => {
    if (standing) void actions.drop([standing.entry]);
    if (column !== "") void actions.say([{ type: "exclusive", column }]);
  };
  return (
    <div className="exclusive-row">
      <span className="quiet grow cut" title="Rows with the same value in this column are in different clusters">
        Exclusive
      </span>
      <Picker
        label="At most one per source"
        value={value}
        empty="Choose a column"
        choices={[
          ...(value === null ? [] : [{ value: "", label: "no column" }]),
          ...columns.filter(({ role }) => role !== "id").map(({ name }) => ({ value: name, label: name })),
        ]}
        onChange={choose}
      />
    </div>
  );
}

/* Details of the selected answer: its author, its time, and its weight. */

function KnowledgeDetail() {
  const { actions } = useSession();
  const standing = useProject(({ knowledge, chosen }) => knowledge.constraints.find(({ entry }) => entry === chosen) ?? null);
  if (!standing) return null;
  const { constraint, by, at, because } = standing;
  const weight = "weight" in constraint ? constraint.weight : undefined;
  const isWeighted = constraint.type !== "unsure" && constraint.type !== "exclusive" && constraint.type !== "sizes";
  return (
    <div className="knowledge-detail">
      <div className="row">
        <b className="grow cut">{sentenceOf(constraint)}</b>
        <Button look="danger small-button" onClick={() => void actions.drop([standing.entry])}>
          Drop
        </Button>
      </div>
      <p className="quiet small">
        {originOf(standing)} by {by}, {ago(at, Date.now())}
        {because !== undefined && `. Not used: ${because}`}
      </p>
      {isWeighted && (
        <div className="row small">
          <label className="quiet" htmlFor="weight">
            Weight
          </label>
          <input
            id="weight"
            key={standing.entry}
            className="field weight-field"
            type="number"
            min="0"
            step="any"
            disabled={weight === "inf"}
            defaultValue={weight === "inf" ? "" : (weight ?? 1)}
            onBlur={(event) => {
              const next = Number(event.target.value);
              if (next > 0 && next !== (weight ?? 1)) void actions.weigh(standing.entry, next);
            }}
          />
          <LinkButton onClick={() => void actions.weigh(standing.entry, weight === "inf" ? 1 : "inf")}>
            {weight === "inf" ? "Make soft" : "Make hard"}
          </LinkButton>
        </div>
      )}
    </div>
  );
}

/* A menu for other ways to add answers: files, limits on cluster sizes, answers typed as text. */

type FileKind = "constraints" | "answers" | "taxonomy";

function AddMenu() {
  const { actions } = useSession();
  const { app } = useStudio();
  const { save } = useExport();
  const input = useRef<HTMLInputElement>(null);
  const kind = useRef<FileKind>("constraints");
  const [dialog, setDialog] = useState<"sizes" | "typed" | null>(null);
  const choose = (next: FileKind) => {
    kind.current = next;
    input.current?.click();
  };
  const take = async (file: File | undefined) => {
    const reply = file ? await actions.importFile(file, kind.current) : null;
    if (reply)
      tell(
        app,
        [`${counted(reply.added, "answer")} from ${file!.name}`, ...reply.notices.map((notice) => spoken(notice).words)].join(
          ". ",
        ),
      );
  };
  const item = (words: string, act: () => void) => <MenuItem onPick={act}>{words}</MenuItem>;
  return (
    <>
      <MenuButton label="Add answers" name="Add" className="button only-icon ghost" content={<Icon name="plus" />}>
        {item("Type an answer", () => setDialog("typed"))}
        {item("Limit cluster sizes", () => setDialog("sizes"))}
        <hr />
        {item("Import constraints", () => choose("constraints"))}
        {item("Import a log of answers", () => choose("answers"))}
        {item("Import a taxonomy", () => choose("taxonomy"))}
        <hr />
        {item("Export constraints", () => void save("constraints"))}
        {item("Export the log of answers", () => void save("answers"))}
      </MenuButton>
      <FileInput label="Answers file" input={input} onFiles={([file]) => void take(file)} />
      {dialog === "sizes" && <SizesDialog onClose={() => setDialog(null)} />}
      {dialog === "typed" && <TypedDialog onClose={() => setDialog(null)} />}
    </>
  );
}

function SizesDialog({ onClose }: { readonly onClose: () => void }) {
  const { actions } = useSession();
  const now = useProject(
    ({ knowledge }) => knowledge.constraints.filter(({ constraint }) => constraint.type === "sizes").at(-1)?.constraint,
  );
  const before: { readonly min?: number | undefined; readonly max?: number | undefined } = now?.type === "sizes" ? now : {};
  const submit = (event: React.FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [min, max] = [Number(form.get("min")), Number(form.get("max"))];
    if (min > 0 || max > 0) void actions.say([{ type: "sizes", ...(min > 0 ? { min } : {}), ...(max > 0 ? { max } : {}) }]);
    onClose();
  };
  return (
    <Dialog title="Cluster sizes" onClose={onClose}>
      <form onSubmit={submit} className="form dialog-form">
        <label htmlFor="size-min">Fewest rows</label>
        <input id="size-min" name="min" data-first className="field" type="number" min="0" step="1" defaultValue={before.min} />
        <label htmlFor="size-max">Most rows</label>
        <input id="size-max" name="max" className="field" type="number" min="1" step="1" defaultValue={before.max} />
        <span />
        <Button type="submit" look="solid">
          Set limits
        </Button>
      </form>
    </Dialog>
  );
}

function TypedDialog({ onClose }: { readonly onClose: () => void }) {
  const { actions, store } = useSession();
  const [text, setText] = useState("");
  const [problem, setProblem] = useState("");
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    const { rowOf, ids } = store.get();
    const constraint = parseConstraint(text, (word) => {
      const row = rowOf.get(word);
      return row === undefined ? null : (ids?.[row] ?? row);
    });
    if (typeof constraint === "string") return setProblem(withLeftOut(constraint, store.get().project.leftOut));
    void actions.say([constraint]);
    onClose();
  };
  return (
    <Dialog title="Type an answer" onClose={onClose}>
      <form onSubmit={submit}>
        <p className="row">
          <input
            className="field"
            data-first
            aria-label="Answer"
            aria-invalid={problem !== ""}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <Button type="submit" look="solid">
            Add
          </Button>
        </p>
        <p className={problem === "" ? "quiet" : "bad"} role="status">
          {problem === "" ? "109 = 325, 281 ≠ 330, 127, 113 | 319, or 337 is Chinstrap" : problem}
        </p>
      </form>
    </Dialog>
  );
}

/**
 * The text of a problem with a typed answer. If the answer names an unknown row, adds the number of rows that were left out of the table.
 */
export function withLeftOut(problem: string, leftOut: number): string {
  const isLost = problem.startsWith("There is no row ") && leftOut > 0;
  return isLost
    ? `${problem} ${counted(leftOut, "row")} of the file ${leftOut === 1 ? "is" : "are"} left out: cells are missing.`
    : problem;
}

/* Parses an answer that is typed as text: "109 = 325", "281 != 330", "127, 113 | 319", "337 is Chinstrap". */

/** The constraint that the text describes. If the text describes none, a sentence that explains the mistake. */
export function parseConstraint(text: string, idOf: (word: string) => RowId | null): Constraint | string {
  const line = text.trim();
  const label = labelIn(line);
  if (label) {
    const a = idOf(label.word);
    return a === null ? missing(label.word) : { type: "label", a, class: label.class };
  }
  const found = formIn(line);
  if (!found) return "Write the answer as 109 = 325, 281 ≠ 330, 127, 113 | 319, or 337 is Chinstrap.";
  const { words, make } = found;
  const lost = words.find((word) => idOf(word) === null);
  if (lost !== undefined) return missing(lost);
  if (new Set(words).size < words.length) return "The rows must differ.";
  return make(words.map((word) => idOf(word)!));
}

function labelIn(line: string): { readonly word: string; readonly class: string } | null {
  const [word, is, first] = line.split(/\s+/, 3);
  if (is !== "is" || first === undefined) return null;
  const rest = line.slice(word!.length).trimStart().slice(is.length);
  return { word: word!, class: rest.trim() };
}

interface Form {
  readonly words: readonly string[];
  readonly make: (ids: readonly RowId[]) => Constraint;
}

function formIn(line: string): Form | null {
  const apart = parted(line, ["!=", "≠", "<>"]);
  if (apart) return { words: apart, make: ([a, b]) => ({ type: "cannot-link", a: a!, b: b! }) };
  const together = parted(line, ["="]);
  if (together) return { words: together, make: ([a, b]) => ({ type: "must-link", a: a!, b: b! }) };
  const [a, rest = ""] = parted(line, [","]) ?? [];
  const pair = parted(rest, ["|"]);
  if (a === undefined || !pair) return null;
  return { words: [a, ...pair], make: ([a, b, c]) => ({ type: "relative", a: a!, b: b!, c: c! }) };
}

/** Splits a text in two at the first of these signs. Null if the text contains none of them, or if one part is empty. */
function parted(line: string, signs: readonly string[]): [string, string] | null {
  const places = signs.map((sign) => ({ sign, at: line.indexOf(sign) })).filter(({ at }) => at >= 0);
  const [first] = places.sort((a, b) => a.at - b.at);
  if (!first) return null;
  const sides: [string, string] = [line.slice(0, first.at).trim(), line.slice(first.at + first.sign.length).trim()];
  return sides.includes("") ? null : sides;
}

function missing(word: string): string {
  return `There is no row ${word}.`;
}

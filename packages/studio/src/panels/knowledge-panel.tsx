/** Everything that was said: what needs somebody first, then the newest. */
import { rowsOf as idsOf, tallyOf } from "@coterie/workbench/protocol";
import { type KeyboardEvent, useMemo, useRef, useState } from "react";

import { tell, useProject, useSession, useStudio } from "../page/context.js";
import { Glyph } from "../page/marks.js";
import { go, viewAddress } from "../page/router.js";
import { brokenKeys, contradictionsOf, type Listed, listOf, originOf, sentenceOf } from "../state/knowledge.js";
import { rowsOf, shownReport, shownRun } from "../state/lookups.js";
import type { Filter } from "../state/model.js";
import { Button, IconButton, Segments } from "../ui/controls.js";
import { counted } from "../ui/format.js";
import { VirtualList } from "../ui/virtual-list.js";
import { AddMenu } from "./add-menu.js";
import { Exclusive } from "./exclusive.js";
import { KnowledgeDetail } from "./knowledge-detail.js";

/** What is in the list, in the words of its state. */
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
    <section className="knowledge-panel" aria-label="Knowledge">
      <div className="section-head">
        <h2>Knowledge</h2>
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
            placeholder="a row, a class, a file"
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
  const { deeds } = useSession();
  const { undo, redo } = useProject(({ knowledge }) => ({ undo: knowledge.undo, redo: knowledge.redo }));
  return (
    <>
      <IconButton icon="undo" label="Undo" look="ghost small-button" disabled={undo === null} onClick={() => void deeds.undo()} />
      <IconButton icon="redo" label="Redo" look="ghost small-button" disabled={redo === null} onClick={() => void deeds.redo()} />
    </>
  );
}

type Line = { readonly head: string; readonly count: number } | Listed;

function KnowledgeList({ filter, search }: { readonly filter: Filter; readonly search: string }) {
  const { needsYou, rest } = useListed();
  const { chosen, moves } = useProject((state) => ({ chosen: state.chosen, moves: state.moves }));
  const { deeds, store } = useSession();
  const lines = useMemo(() => linesOf(needsYou, rest, filter, search), [needsYou, rest, filter, search]);
  const active = lines.findIndex((line) => "standing" in line && line.standing.entry === chosen);
  const choose = (index: number) => {
    const line = lines[index];
    if (!line || !("standing" in line)) return;
    deeds.choose(line.standing);
    const [row] = rowsOf(store.get(), idsOf(line.standing.constraint));
    if (row !== undefined) store.set({ cursor: row });
  };
  const drop = () => {
    const line = lines[active];
    if (line && "standing" in line) void deeds.drop([line.standing.entry]);
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
    ...(first.length > 0 ? [{ head: "Needs you", count: first.length }, ...first] : []),
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
  const { deeds, id } = useSession();
  const { app } = useStudio();
  const input = useRef<HTMLInputElement>(null);
  const take = async (file: File | undefined) => {
    const reply = file ? await deeds.importFile(file, file.name.endsWith(".jsonl") ? "answers" : "constraints") : null;
    if (reply) tell(app, `${counted(reply.added, "answer")} from ${file!.name}`);
  };
  return (
    <div className="no-answers">
      <b>No answers yet</b>
      <p className="quiet">Pick two points on the map, or let Coterie choose the pair that helps most.</p>
      <div className="row">
        <Button look="solid" onClick={() => go(viewAddress(id, "ask"))}>
          Ask me
        </Button>
        <Button onClick={() => input.current?.click()}>Import constraints</Button>
        <input
          ref={input}
          type="file"
          className="heard"
          tabIndex={-1}
          aria-label="Constraints file"
          onChange={(event) => void take(event.target.files?.[0])}
        />
      </div>
    </div>
  );
}

/** The table: its file, the columns with their spreads and roles, the scale of features. */
import { counted, formatCount } from "@coterie/figures/layout";
import type { ColumnReply, Project, Reading, ReadingChange } from "@coterie/workbench/protocol";
import { useState } from "react";
import { useProject, useSession } from "../page/context.js";
import { useOffers } from "../page/offers.js";
import { withRole, withType, withUse, withWeight } from "../state/reading.js";
import { type Offer, type Spoken, spoken } from "../state/spoken.js";
import { Button, LinkButton, Segments } from "../ui/controls.js";
import { CutName } from "../ui/cut-name.js";
import { Dialog } from "../ui/dialog.js";
import { dateRange, range } from "../ui/format.js";
import { Icon } from "../ui/icons.js";
import { MenuButton, MenuItem } from "../ui/popup.js";
import { VirtualList } from "../ui/virtual-list.js";

const ROLES: readonly (readonly [Role, string])[] = [
  ["feature", "Feature: measures likeness"],
  ["ignored", "Not used"],
  ["truth", "Truth: the known answer, kept out"],
  ["id", "Id: names the rows"],
];

const TYPES: readonly (readonly [Type, string])[] = [
  ["number", "Numbers"],
  ["nominal", "Levels: equal or different"],
  ["text", "Texts: more or less alike"],
  ["date", "Dates and times"],
  ["vector", "Vectors: lists of numbers"],
];

export function DataPanel() {
  const { project, columns } = useProject((state) => ({ project: state.project, columns: state.columns }));
  const { actions } = useSession();
  const [notices, setNotices] = useState(false);
  const lines = saidOf(project);
  const others = lines.filter((said) => !isDecision(said));
  return (
    <section className="section data-panel">
      <div className="section-head">
        <h2 className="grow">Data</h2>
        <DataOptions />
      </div>
      <div className="pad row data-file">
        <span className="cut" title={project.data.file}>
          {project.data.file}
        </span>
        <span className="meta grow num">
          {counted(project.rows + project.leftOut, "row")}, {counted(project.columns, "column")}
        </span>
      </div>
      <Decisions lines={lines.filter(isDecision)} />
      {lines.length > 0 && (
        <div className="pad row data-notice">
          <span className="warn grow cut">{others.length === 1 ? others[0]!.words : counted(lines.length, "notice")}</span>
          <LinkButton onClick={() => setNotices(true)}>Show</LinkButton>
        </div>
      )}
      <Columns columns={columns} />
      <div className="pad row scale-row">
        <span className="quiet grow cut">Scale features</span>
        <Segments
          label="Scale features"
          value={project.reading.scale}
          options={[
            { value: "none", label: "None" },
            { value: "zscore", label: "Z-score" },
            { value: "minmax", label: "Min–max" },
          ]}
          onChange={(scale) => void actions.change({ reading: { scale } })}
        />
      </div>
      {project.reading.scale !== "none" && <p className="pad quiet small">{SCALED[project.reading.scale]}</p>}
      {notices && (
        <Dialog title="About this table" onClose={() => setNotices(false)}>
          <Notices lines={lines} onDone={() => setNotices(false)} />
        </Dialog>
      )}
    </section>
  );
}

const SCALED = {
  zscore: "Columns of numbers are scaled: each has mean 0 and deviation 1, so that all count alike.",
  minmax: "Columns of numbers are scaled: each goes from 0 to 1.",
};

const FILLED = "--missing impute --missing skip";

/** All that is to be known about the table. Rows that are left out are counted once. */
function saidOf({ leftOut, notices }: Project): readonly Spoken[] {
  const others = notices.filter((notice) => !/with missing cells (?:was|were) dropped\.$/.test(notice));
  if (leftOut === 0) return others.map(spoken);
  const words = `${counted(leftOut, "row")} of the file ${leftOut === 1 ? "is" : "are"} left out: cells are missing.`;
  return [{ words, offers: spoken(FILLED).offers }, ...others.map(spoken)];
}

/** Whether a sentence tells of rows or columns that were left out of the comparison of rows, or might be. */
function isDecision({ offers }: Spoken): boolean {
  return offers.some((offer) => offer.kind === "missing" || (offer.kind === "role" && /feature|truth/.test(offer.role)));
}

/** What was decided where nobody said anything: each as a sentence, with a button that decides otherwise. */
function Decisions({ lines }: { readonly lines: readonly Spoken[] }) {
  const take = useOffers();
  return lines.map(({ words, offers }) => (
    <div key={words} className="pad data-decision">
      <span className="warn">{words}</span>
      <Offers offers={offers} onTake={take} />
    </div>
  ));
}

/** What is to be known about the table, each with buttons that change it. */
function Notices({ lines, onDone }: { readonly lines: readonly Spoken[]; readonly onDone: () => void }) {
  const take = useOffers();
  return (
    <ul className="notices">
      {lines.map(({ words, offers }) => (
        <li key={words}>
          {words}
          <Offers
            offers={offers}
            onTake={(offer) => {
              onDone();
              take(offer);
            }}
          />
        </li>
      ))}
    </ul>
  );
}

function Offers({ offers, onTake }: { readonly offers: readonly Offer[]; readonly onTake: (offer: Offer) => void }) {
  if (offers.length === 0) return null;
  return (
    <span className="row wrap">
      {offers.map((offer) => (
        <Button key={offer.words} look="small-button" onClick={() => onTake(offer)}>
          {offer.words}
        </Button>
      ))}
    </span>
  );
}

function DataOptions() {
  const { actions } = useSession();
  const missing = useProject(({ project }) => project.reading.missing);
  const change = (next: "drop" | "impute" | "skip") => void actions.change({ reading: { missing: next } });
  const note = (value: string) => (missing === value ? "now" : undefined);
  const item = (value: "drop" | "impute" | "skip", words: string, close: () => void) => (
    <MenuItem
      {...(note(value) ? { note: note(value) } : {})}
      onPick={() => {
        close();
        change(value);
      }}
    >
      {words}
    </MenuItem>
  );
  return (
    <MenuButton label="Data options" name="Data options" className="button only-icon ghost" content={<Icon name="more" />}>
      {(close) => (
        <>
          {item("drop", "Leave out rows with missing cells", close)}
          {item("impute", "Fill missing cells with the mean", close)}
          {item("skip", "Compare rows by the cells that both have", close)}
        </>
      )}
    </MenuButton>
  );
}

const ROW = 28;

function Columns({ columns }: { readonly columns: readonly ColumnReply[] }) {
  const [active, setActive] = useState(-1);
  if (columns.length <= 100)
    return (
      <ul className="columns">
        {columns.map((column) => (
          <li key={column.name}>
            <ColumnRow column={column} />
          </li>
        ))}
      </ul>
    );
  return (
    <VirtualList
      label="Columns"
      className="columns"
      count={columns.length}
      rowHeight={ROW}
      active={active}
      onActive={setActive}
      renderRow={(index) => <ColumnRow column={columns[index]!} />}
    />
  );
}

const SIGNS: Readonly<Record<ColumnReply["kind"], string>> = { number: "#", nominal: "Aa", text: "¶", date: "◷", vector: "[ ]" };

function ColumnRow({ column }: { readonly column: ColumnReply }) {
  const { actions, store } = useSession();
  const isUsed = column.role === "feature";
  const isFree = isUsed || column.role === "ignored";
  return (
    <div className={`column ${isUsed ? "" : "off"}`}>
      <input
        type="checkbox"
        className="check"
        aria-label={`Use ${column.name}`}
        checked={isUsed}
        disabled={!isFree}
        onChange={() =>
          void actions.change({ reading: withUse(store.get().project.reading, store.get().columns, column.name, !isUsed) })
        }
      />
      <span className="column-kind" title={column.kind}>
        {SIGNS[column.kind]}
      </span>
      <CutName name={column.name} />
      <Spread column={column} />
      <ColumnMenu column={column} />
    </div>
  );
}

/* The spread of a column in 40 pixels: bars for numbers, shares for levels. */

function Spread({ column }: { readonly column: ColumnReply }) {
  const { counts } = column;
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return <span />;
  return (
    <svg width="40" height="16" aria-hidden="true">
      {column.min !== undefined ? <Bars counts={counts} /> : <Shares counts={counts} total={total} />}
    </svg>
  );
}

function Bars({ counts }: { readonly counts: readonly number[] }) {
  const most = Math.max(...counts);
  const step = 40 / counts.length;
  const bars = counts.map((count, i) => {
    const height = (count / most) * 14;
    return `M${(i * step).toFixed(1)} 16v${(-height).toFixed(1)}h${(step * 0.64).toFixed(1)}V16z`;
  });
  return <path d={bars.join("")} fill="var(--ink-3)" />;
}

function Shares({ counts, total }: { readonly counts: readonly number[]; readonly total: number }) {
  let x = 0;
  const parts = counts.map((count) => {
    const width = (count / total) * 40;
    const path = `M${x.toFixed(1)} 4h${Math.max(0.3, width - 1).toFixed(1)}v8h${(-Math.max(0.3, width - 1)).toFixed(1)}z`;
    x += width;
    return path;
  });
  return <path d={parts.join("")} fill="var(--ink-3)" opacity="0.7" />;
}

/* What a column is for, what it holds, and how much it counts. */

type Role = "feature" | "ignored" | "truth" | "id";

type Type = NonNullable<Reading["types"]>[string];

function tagOf({ role, kind, min, max, missing, distinct, parts, weight, notation }: ColumnReply): string {
  if (role === "truth" || role === "id") return role;
  if (role === "exclusive") return "source";
  const times = weight === undefined ? "" : ` ×${weight}`;
  if (kind === "vector") return `${counted(parts ?? 0, "number")}${times}`;
  if (min !== undefined && max !== undefined) {
    const spread = kind === "date" ? dateRange(min, max) : range(min, max);
    return `${notation?.before ?? ""}${spread}${notation?.after ?? ""}${times}`;
  }
  if (missing > 0) return `${formatCount(missing)} empty${times}`;
  return `${distinct === undefined ? kind : counted(distinct, "value")}${times}`;
}

function ColumnMenu({ column }: { readonly column: ColumnReply }) {
  const { actions, store } = useSession();
  const types = useProject(({ project }) => project.reading.types);
  const [weighing, setWeighing] = useState(false);
  const { name } = column;
  const asked = types && Object.hasOwn(types, name) ? types[name] : undefined;
  const read = (reading: ReadingChange) => void actions.change({ reading });
  const item = (key: string, words: string, isNow: boolean, close: () => void, pick: () => void) => (
    <MenuItem
      key={key}
      {...(isNow ? { note: "now" } : {})}
      onPick={() => {
        close();
        pick();
      }}
    >
      {words}
    </MenuItem>
  );
  const setRole = (role: Role) => read(withRole(store.get().project.reading, store.get().columns, name, role));
  const setType = (type: Type | null) => read({ types: withType(store.get().project.reading, name, type) });
  return (
    <span className="column-tag">
      <MenuButton
        label={`Role of ${name}`}
        name={`Role of ${name}: ${tagOf(column)}`}
        className="tag-button"
        content={tagOf(column)}
      >
        {(close) => (
          <>
            {ROLES.map(([role, words]) => item(role, words, column.role === role, close, () => setRole(role)))}
            <div className="menu-head">Read as</div>
            {TYPES.map(([type, words]) => item(type, words, column.kind === type, close, () => setType(type)))}
            {asked !== undefined && item("look", "What its cells look like", false, close, () => setType(null))}
            <div className="menu-head">In distances</div>
            {item("weight", `Counts ${column.weight ?? 1} times…`, false, close, () => setWeighing(true))}
          </>
        )}
      </MenuButton>
      {weighing && <WeightDialog column={column} onClose={() => setWeighing(false)} />}
    </span>
  );
}

function WeightDialog({ column, onClose }: { readonly column: ColumnReply; readonly onClose: () => void }) {
  const { actions, store } = useSession();
  const [text, setText] = useState(String(column.weight ?? 1));
  const weight = Number(text);
  const isGood = text.trim() !== "" && weight > 0 && weight <= 1e6;
  const submit = async (event: React.FormEvent) => {
    event.preventDefault();
    if (!isGood) return;
    await actions.change({ reading: { weights: withWeight(store.get().project.reading, column.name, weight) } });
    onClose();
  };
  return (
    <Dialog title={`Weight of ${column.name}`} onClose={onClose}>
      <form className="row" onSubmit={submit}>
        <input
          className="field"
          data-first
          type="number"
          step="any"
          min="0"
          aria-label="Weight"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit" look="solid" disabled={!isGood}>
          Set weight
        </Button>
      </form>
      <p className="quiet">A gap in this column counts so many times in distances. 1 is plain.</p>
    </Dialog>
  );
}

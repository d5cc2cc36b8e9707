/** The table: its file, the columns with their spreads and roles, the scale of features. */
import type { ColumnReply, Project } from "@coterie/workbench/protocol";
import { useState } from "react";
import { useProject, useSession } from "../page/context.js";
import { useOffers } from "../page/offers.js";
import { withUse } from "../state/reading.js";
import { type Offer, type Spoken, spoken } from "../state/spoken.js";
import { Button, LinkButton, Segments } from "../ui/controls.js";
import { CutName } from "../ui/cut-name.js";
import { Dialog } from "../ui/dialog.js";
import { counted } from "../ui/format.js";
import { Icon } from "../ui/icons.js";
import { MenuButton, MenuItem } from "../ui/popup.js";
import { VirtualList } from "../ui/virtual-list.js";
import { ColumnMenu } from "./column-menu.js";
import { Spread } from "./spread.js";

export function DataPanel() {
  const { project, columns } = useProject((state) => ({ project: state.project, columns: state.columns }));
  const { deeds } = useSession();
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
          onChange={(scale) => void deeds.change({ reading: { scale } })}
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
  const { deeds } = useSession();
  const missing = useProject(({ project }) => project.reading.missing);
  const change = (next: "drop" | "impute" | "skip") => void deeds.change({ reading: { missing: next } });
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
  const { deeds, store } = useSession();
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
          void deeds.change({ reading: withUse(store.get().project.reading, store.get().columns, column.name, !isUsed) })
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

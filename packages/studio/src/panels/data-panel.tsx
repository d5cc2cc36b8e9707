/** The panel about the table: its file, its columns with their distributions and roles, and the scale of features. */
import { counted, formatCount } from "@coterie/figures/layout";
import type { ColumnReply, Project, Reading, ReadingChange } from "@coterie/workbench/protocol";
import { useState } from "react";
import { useProject, useSession } from "../page/context.js";
import { useOffers } from "../page/offers.js";
import { withRole, withTransform, withType, withUse, withWeight } from "../state/reading.js";
import { type Offer, type Spoken, spoken } from "../state/spoken.js";
import { Button, LinkButton } from "../ui/controls.js";
import { CutName } from "../ui/cut-name.js";
import { Dialog, FieldDialog } from "../ui/dialog.js";
import { dateRange, range } from "../ui/format.js";
import { Icon } from "../ui/icons.js";
import { MenuButton, MenuItem } from "../ui/popup.js";
import { VirtualList } from "../ui/virtual-list.js";

const ROLES: readonly (readonly [Role, string])[] = [
  ["feature", "Feature: used for distances"],
  ["ignored", "Unused"],
  ["truth", "Truth: known classes, used for scores only"],
  ["id", "Id: names the rows"],
];

const TYPES: readonly (readonly [Type, string])[] = [
  ["number", "Numbers"],
  ["nominal", "Categories: equal or different"],
  ["text", "Texts: compared by their words"],
  ["date", "Dates and times"],
  ["vector", "Vectors: lists of numbers"],
];

const TRANSFORMS: readonly (readonly ["log" | "rank" | "none" | null, string])[] = [
  [null, "Automatic, chosen by the scaling"],
  ["log", "Logarithm"],
  ["rank", "Rank"],
  ["none", "As given"],
];

export function DataPanel() {
  const { project, columns } = useProject((state) => ({ project: state.project, columns: state.columns }));
  const { actions } = useSession();
  const [notices, setNotices] = useState(false);
  const lines = noticesOf(project);
  const others = lines.filter((notice) => !isDecision(notice));
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
        <span className="quiet grow cut">Scale</span>
        <MenuButton
          label="Scale features"
          name={`Scale features: ${SCALES[project.reading.scale].label}`}
          className="tag-button"
          content={SCALES[project.reading.scale].label}
        >
          {Object.entries(SCALES).map(([scale, { label }]) => (
            <MenuItem
              key={scale}
              note={noteIf(project.reading.scale === scale)}
              onPick={() => void actions.change({ reading: { scale: scale as Scale } })}
            >
              {label}
            </MenuItem>
          ))}
        </MenuButton>
      </div>
      <p className="pad quiet small">{SCALES[project.reading.scale].about}</p>
      {notices && (
        <Dialog title="Notices about this table" onClose={() => setNotices(false)}>
          <Notices lines={lines} onDone={() => setNotices(false)} />
        </Dialog>
      )}
    </section>
  );
}

type Scale = Reading["scale"];

const SCALES: Readonly<Record<Scale, { readonly label: string; readonly about: string }>> = {
  auto: { label: "Automatic", about: "The scaling is chosen by the columns; the notices about this table say which." },
  none: { label: "None", about: "Numbers are used as given: columns with large numbers have the most influence." },
  zscore: { label: "Z-score", about: "Number columns are scaled to mean 0 and standard deviation 1: all have equal influence." },
  minmax: { label: "Min–max", about: "Number columns are scaled to the range from 0 to 1." },
  robust: { label: "Robust", about: "Number columns are scaled by median and quartiles, which outliers do not change." },
  log: { label: "Logarithm", about: "Logarithms of number columns are scaled to mean 0 and standard deviation 1." },
  rank: { label: "Rank", about: "Ranks of the numbers are scaled to mean 0 and standard deviation 1." },
};

const FILLED = "--missing impute --missing skip";

function noticesOf({ leftOut, notices }: Project): readonly Spoken[] {
  const others = notices.filter((notice) => !/with missing cells (?:was|were) dropped\.$/.test(notice));
  if (leftOut === 0) return others.map(spoken);
  const words = `${counted(leftOut, "row")} of the file ${leftOut === 1 ? "is" : "are"} left out: cells are missing.`;
  return [{ words, offers: spoken(FILLED).offers }, ...others.map(spoken)];
}

function isDecision({ offers }: Spoken): boolean {
  return offers.some((offer) => offer.kind === "missing" || (offer.kind === "role" && /feature|truth/.test(offer.role)));
}

function Decisions({ lines }: { readonly lines: readonly Spoken[] }) {
  const take = useOffers();
  return lines.map(({ words, offers }) => (
    <div key={words} className="pad data-decision">
      <span className="warn">{words}</span>
      <Offers offers={offers} onTake={take} />
    </div>
  ));
}

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

const MISSING = [
  ["auto", "Skip missing cells, or fill them where a method needs them"],
  ["drop", "Leave out rows with missing cells"],
  ["impute", "Fill missing cells with the mean"],
  ["skip", "Compare rows by the cells that both have"],
] as const;

function DataOptions() {
  const { actions } = useSession();
  const missing = useProject(({ project }) => project.reading.missing);
  return (
    <MenuButton label="Data options" name="Data options" className="button only-icon ghost" content={<Icon name="more" />}>
      {MISSING.map(([value, words]) => (
        <MenuItem
          key={value}
          note={noteIf(missing === value)}
          onPick={() => void actions.change({ reading: { missing: value } })}
        >
          {words}
        </MenuItem>
      ))}
    </MenuButton>
  );
}

function noteIf(isChosen: boolean): string | undefined {
  return isChosen ? "current" : undefined;
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

/* Draws the distribution of a column, 40 pixels wide: bars for numbers, shares of the values for categories. */

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

/* A menu that changes the role, the type and the weight of a column. */

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
  const { types, transforms } = useProject(({ project }) => project.reading);
  const transform = transforms && Object.hasOwn(transforms, column.name) ? transforms[column.name] : undefined;
  const [weighing, setWeighing] = useState(false);
  const { name, weight = 1 } = column;
  const asked = types && Object.hasOwn(types, name) ? types[name] : undefined;
  const read = (change: (reading: Reading, columns: readonly ColumnReply[]) => ReadingChange) =>
    actions.change({ reading: change(store.get().project.reading, store.get().columns) });
  const setType = (type: Type | null) => void read((reading) => ({ types: withType(reading, name, type) }));
  return (
    <span className="column-tag">
      <MenuButton
        label={`Role of ${name}`}
        name={`Role of ${name}: ${tagOf(column)}`}
        className="tag-button"
        content={tagOf(column)}
      >
        {ROLES.map(([role, words]) => (
          <MenuItem
            key={role}
            note={noteIf(column.role === role)}
            onPick={() => void read((reading, columns) => withRole(reading, columns, name, role))}
          >
            {words}
          </MenuItem>
        ))}
        <div className="menu-head">Read as</div>
        {TYPES.map(([type, words]) => (
          <MenuItem key={type} note={noteIf(column.kind === type)} onPick={() => setType(type)}>
            {words}
          </MenuItem>
        ))}
        {asked !== undefined && <MenuItem onPick={() => setType(null)}>Detect from the cells</MenuItem>}
        <div className="menu-head">Before scaling</div>
        {TRANSFORMS.map(([how, words]) => (
          <MenuItem
            key={words}
            note={noteIf((transform ?? null) === how)}
            onPick={() => void read((reading) => ({ transforms: withTransform(reading, name, how) }))}
          >
            {words}
          </MenuItem>
        ))}
        <div className="menu-head">In distances</div>
        <MenuItem onPick={() => setWeighing(true)}>Weight {weight}…</MenuItem>
      </MenuButton>
      {weighing && (
        <FieldDialog
          title={`Weight of ${name}`}
          label="Weight"
          submit="Set weight"
          value={String(weight)}
          field={{ type: "number", step: "any", min: "0" }}
          isGood={(text) => text.trim() !== "" && Number(text) > 0 && Number(text) <= 1e6}
          onSubmit={(text) => read((reading) => ({ weights: withWeight(reading, name, Number(text)) }))}
          onClose={() => setWeighing(false)}
        >
          <p className="quiet">The factor of this column in distances. 1 is the default.</p>
        </FieldDialog>
      )}
    </span>
  );
}

/** What a column is for, what it holds, and how much it counts. */
import type { ColumnReply, Reading, ReadingChange } from "@coterie/workbench/protocol";
import { useState } from "react";
import { useProject, useSession } from "../page/context.js";
import { withRole, withType, withWeight } from "../state/reading.js";
import { Button } from "../ui/controls.js";
import { Dialog } from "../ui/dialog.js";
import { count, counted, dateRange, range } from "../ui/format.js";
import { MenuButton, MenuItem } from "../ui/popup.js";

type Role = "feature" | "ignored" | "truth" | "id";
type Type = NonNullable<Reading["types"]>[string];

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

function tagOf({ role, kind, min, max, missing, distinct, parts, weight, notation }: ColumnReply): string {
  if (role === "truth" || role === "id") return role;
  if (role === "exclusive") return "source";
  const times = weight === undefined ? "" : ` ×${weight}`;
  if (kind === "vector") return `${counted(parts ?? 0, "number")}${times}`;
  if (min !== undefined && max !== undefined) {
    const spread = kind === "date" ? dateRange(min, max) : range(min, max);
    return `${notation?.before ?? ""}${spread}${notation?.after ?? ""}${times}`;
  }
  if (missing > 0) return `${count(missing)} empty${times}`;
  return `${distinct === undefined ? kind : counted(distinct, "value")}${times}`;
}

export function ColumnMenu({ column }: { readonly column: ColumnReply }) {
  const { deeds, store } = useSession();
  const types = useProject(({ project }) => project.reading.types);
  const [weighing, setWeighing] = useState(false);
  const { name } = column;
  const asked = types && Object.hasOwn(types, name) ? types[name] : undefined;
  const read = (reading: ReadingChange) => void deeds.change({ reading });
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
  const { deeds, store } = useSession();
  const [text, setText] = useState(String(column.weight ?? 1));
  const weight = Number(text);
  const isGood = text.trim() !== "" && weight > 0 && weight <= 1e6;
  const submit = async (event: React.FormEvent) => {
    event.preventDefault();
    if (!isGood) return;
    await deeds.change({ reading: { weights: withWeight(store.get().project.reading, column.name, weight) } });
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

/** Find anything: a row by its id or text, a project, a command. */
import type { RowReply } from "@coterie/workbench/protocol";
import { useEffect, useId, useState } from "react";
import { useApp, useStudio } from "../page/context.js";
import { go, viewAddress } from "../page/router.js";
import { pickFoundRow } from "../page/row-pick.js";
import { Dialog } from "../ui/dialog.js";
import { cell } from "../ui/format.js";
import { toggleTheme } from "./theme.js";

interface Found {
  readonly key: string;
  readonly label: string;
  readonly note: string;
  readonly act: () => void;
}

export function Palette({ project }: { readonly project?: string }) {
  const { app } = useStudio();
  const overlay = useApp((state) => state.overlay);
  if (overlay !== "palette") return null;
  const words = project === undefined ? "Find project or command" : "Find row or command";
  return (
    <Dialog title={words} bare onClose={() => app.set({ overlay: null })}>
      <Finder project={project} words={words} />
    </Dialog>
  );
}

function Finder({ project, words }: { readonly project: string | undefined; readonly words: string }) {
  const { app } = useStudio();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const found = useFound(project, text);
  const list = useId();
  const act = (item: Found | undefined) => {
    if (!item) return;
    app.set({ overlay: null });
    item.act();
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setAt((before) => (before + step + found.length) % Math.max(1, found.length));
    } else if (event.key === "Enter") act(found[at]);
  };
  return (
    <>
      <input
        className="palette-field"
        data-first
        type="text"
        role="combobox"
        aria-label={words}
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={found[at] ? `${list}-${at}` : undefined}
        placeholder={words}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={list} role="listbox" aria-label="Found" className="palette-list">
        {found.map((item, i) => (
          <button
            key={item.key}
            id={`${list}-${i}`}
            type="button"
            role="option"
            tabIndex={-1}
            aria-selected={i === at}
            className={`menu-item ${i === at ? "active" : ""}`}
            onClick={() => act(item)}
          >
            <span className="cut">{item.label}</span>
            <span className="meta cut">{item.note}</span>
          </button>
        ))}
        {found.length === 0 && <p className="menu-head">Nothing found</p>}
      </div>
    </>
  );
}

function useFound(project: string | undefined, text: string): readonly Found[] {
  const commands = useCommands(project);
  const rows = useRows(project, text);
  const wanted = text.trim().toLowerCase();
  const matching = commands.filter(({ label }) => label.toLowerCase().includes(wanted));
  const rowItems = rows.map(
    (row): Found => ({
      key: `row ${row.row}`,
      label: `Row ${row.id}`,
      note: row.cells.slice(0, 5).map(cell).join(", "),
      act: () => pickFoundRow(project!, row.row),
    }),
  );
  return wanted === "" ? matching : [...rowItems, ...matching];
}

/** Rows that match, asked for when typing pauses. */
function useRows(project: string | undefined, text: string): readonly RowReply[] {
  const { client } = useStudio();
  const [rows, setRows] = useState<readonly RowReply[]>([]);
  useEffect(() => {
    setRows([]);
    if (project === undefined || text.trim() === "") return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      client
        .call("findRows", { project, text: text.trim().slice(0, 200), most: 12 }, { signal: stop.signal })
        .then(setRows, () => {});
    }, 120);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [client, project, text]);
  return rows;
}

function useCommands(project: string | undefined): readonly Found[] {
  const { app } = useStudio();
  const projects = useApp((state) => state.projects);
  const command = (label: string, note: string, act: () => void): Found => ({ key: label, label, note, act });
  const views =
    project === undefined
      ? []
      : [
          command("Go to Map", "G M", () => go(viewAddress(project, "map"))),
          command("Go to Ask", "G A", () => go(viewAddress(project, "ask"))),
          command("Go to Compare", "G C", () => go(viewAddress(project, "compare"))),
          command("Go to Understand", "G U", () => go(viewAddress(project, "understand"))),
        ];
  const open = (projects ?? [])
    .filter(({ id }) => id !== project)
    .map((other) => ({
      ...command(`Open ${other.name}`, other.data.file, () => go(viewAddress(other.id, "map"))),
      key: `project ${other.id}`,
    }));
  return [
    ...views,
    command("Start with a table", "", () => go("#/")),
    command("Switch between light and dark", "", toggleTheme),
    command("All keys", "?", () => app.set({ overlay: "keys" })),
    ...open,
  ];
}

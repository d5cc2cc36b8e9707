/** What can be taken away: files, and the run as a command or as TypeScript. */
import { formatCount } from "@coterie/figures/layout";
import { exportedOf, type RouteReply } from "@coterie/workbench/protocol";
import { useEffect, useRef, useState } from "react";
import { shownRun } from "../state/lookups.js";
import { Icon } from "../ui/icons.js";
import { Popup } from "../ui/popup.js";
import { tell, useProject, useSession, useStudio } from "./context.js";
import { useKeys } from "./keys.js";

type Kind = "labels" | "constraints" | "model" | "report-html" | "report-json" | "answers" | "command" | "typescript";

/** Fetches an export and saves or copies it. */
export function useExport() {
  const { client, app } = useStudio();
  const { id, store, actions } = useSession();
  const fetchFile = (kind: Kind): Promise<RouteReply<"export">> => {
    const run = shownRun(store.get())?.number;
    return client.call("export", { project: id, kind, ...(run === undefined ? {} : { run }) });
  };
  const save = async (kind: Kind) => {
    try {
      const { file, type, text } = await fetchFile(kind);
      download(file, type, text);
      tell(app, `Saved ${file}`);
    } catch (error) {
      actions.fail(error);
    }
  };
  const copy = async (kind: "command" | "typescript") => {
    try {
      const { text } = await fetchFile(kind);
      await copyText(text);
      if (kind === "typescript") return tell(app, "Copied the TypeScript");
      if (!text.includes(" --constraints ")) return tell(app, "Copied the command");
      const { file, type, text: constraints } = await fetchFile("constraints");
      download(file, type, constraints);
      tell(app, `Copied the command; it reads ${file}, which was saved`);
    } catch (error) {
      actions.fail(error);
    }
  };
  return { fetchFile, save, copy };
}

function download(file: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = file;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** The clipboard, or a selection where pages may not use it. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "heard";
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

export function ExportButton() {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const { copy } = useExport();
  useKeys({ "Shift+C": () => void copy("command"), "Shift+T": () => void copy("typescript") });
  return (
    <>
      <button
        ref={button}
        type="button"
        className="button export-button"
        aria-label="Export"
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Icon name="export" />
        <span className="export-words">Export</span>
      </button>
      {open && (
        <Popup anchor={button.current!} role="menu" label="Export" className="export-menu" onClose={() => setOpen(false)}>
          <ExportItems onClose={() => setOpen(false)} />
        </Popup>
      )}
    </>
  );
}

function ExportItems({ onClose }: { readonly onClose: () => void }) {
  const { save, copy, fetchFile } = useExport();
  const { rows, known, run } = useProject((state) => ({
    rows: state.project.rows,
    known: exportedOf(state.knowledge.constraints),
    run: shownRun(state),
  }));
  const [command, setCommand] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the command is that of the run that the menu opened on
  useEffect(() => {
    if (run)
      fetchFile("command").then(
        ({ text }) => setCommand(text),
        () => setCommand(""),
      );
  }, [run?.number]);
  const item = (label: string, note: React.ReactNode, act: () => void, off: boolean) => (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      className="menu-item"
      disabled={off}
      onClick={() => {
        act();
        onClose();
      }}
    >
      <span>{label}</span>
      <span className="meta">{note}</span>
    </button>
  );
  return (
    <>
      {item("Labels", run ? `labels.csv, ${formatCount(rows)} rows` : "after a run", () => void save("labels"), !run)}
      {item("Constraints", `known.csv, ${formatCount(known)} rows`, () => void save("constraints"), false)}
      {item("Model", "model.json", () => void save("model"), !run)}
      {item("Report", "report.html", () => void save("report-html"), !run)}
      <hr />
      {item("Copy as TypeScript", <kbd className="key-cap">Shift T</kbd>, () => void copy("typescript"), !run)}
      {item("Copy as command", <kbd className="key-cap">Shift C</kbd>, () => void copy("command"), !run)}
      {command !== "" && <pre className="mono command">{lastCommand(command)}</pre>}
    </>
  );
}

/** The command itself; what is copied also writes the constraints that it reads. */
function lastCommand(text: string): string {
  return text.trimEnd().split("\n").at(-1)!;
}

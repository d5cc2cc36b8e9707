/** The export menu: downloads files, and copies the run as a command or as TypeScript. */
import { formatCount } from "@coterie/figures/layout";
import { exportedOf, type RouteReply } from "@coterie/workbench/protocol";
import { useEffect, useState } from "react";
import { shownRun } from "../state/lookups.js";
import { Cap } from "../ui/controls.js";
import { Icon } from "../ui/icons.js";
import { MenuButton, MenuItem } from "../ui/popup.js";
import { tell, useProject, useSession, useStudio } from "./context.js";
import { useKeys } from "./keys.js";

type Kind = "labels" | "constraints" | "model" | "report-html" | "report-json" | "answers" | "command" | "typescript";

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
      tell(app, `Copied the command and saved ${file}, which the command reads`);
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

/** Copies a text to the clipboard. If the browser denies access to the clipboard, copies through a selected text field. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "visually-hidden";
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

export function ExportButton() {
  const { copy } = useExport();
  useKeys({ "Shift+C": () => void copy("command"), "Shift+T": () => void copy("typescript") });
  const content = (
    <>
      <Icon name="export" />
      <span className="export-words">Export</span>
    </>
  );
  return (
    <MenuButton label="Export" name="Export" className="button export-button" menuClass="export-menu" content={content}>
      <ExportItems />
    </MenuButton>
  );
}

function ExportItems() {
  const { save, copy, fetchFile } = useExport();
  const { rows, known, run } = useProject((state) => ({
    rows: state.project.rows,
    known: exportedOf(state.knowledge.constraints),
    run: shownRun(state),
  }));
  const [command, setCommand] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the command belongs to the run that was shown when the menu opened
  useEffect(() => {
    if (run)
      fetchFile("command").then(
        ({ text }) => setCommand(text),
        () => setCommand(""),
      );
  }, [run?.number]);
  const item = (label: string, note: React.ReactNode, act: () => Promise<unknown>, isOff = !run) => (
    <MenuItem note={note} disabled={isOff} onPick={() => void act()}>
      {label}
    </MenuItem>
  );
  return (
    <>
      {item("Labels", run ? `labels.csv, ${formatCount(rows)} rows` : "after a run", () => save("labels"))}
      {item("Constraints", `known.csv, ${formatCount(known)} rows`, () => save("constraints"), false)}
      {item("Model", "model.json", () => save("model"))}
      {item("Report", "report.html", () => save("report-html"))}
      <hr />
      {item("Copy as TypeScript", <Cap>Shift T</Cap>, () => copy("typescript"))}
      {item("Copy as command", <Cap>Shift C</Cap>, () => copy("command"))}
      {command !== "" && <pre className="mono command">{command.trimEnd().split("\n").at(-1)!}</pre>}
    </>
  );
}

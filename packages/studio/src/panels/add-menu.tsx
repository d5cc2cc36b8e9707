/** Knowledge from elsewhere: files, sizes of clusters, pairs by their ids. */
import { useRef, useState } from "react";
import { tell, useProject, useSession, useStudio } from "../page/context.js";
import { useExport } from "../page/export-menu.js";
import { spoken } from "../state/spoken.js";
import { Button } from "../ui/controls.js";
import { Dialog } from "../ui/dialog.js";
import { counted } from "../ui/format.js";
import { Icon } from "../ui/icons.js";
import { MenuButton, MenuItem } from "../ui/popup.js";
import { parseConstraint } from "./parse-constraint.js";

type FileKind = "constraints" | "answers" | "taxonomy";

export function AddMenu() {
  const { deeds } = useSession();
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
    const reply = file ? await deeds.importFile(file, kind.current) : null;
    if (reply)
      tell(
        app,
        [`${counted(reply.added, "answer")} from ${file!.name}`, ...reply.notices.map((notice) => spoken(notice).words)].join(
          ". ",
        ),
      );
  };
  const item = (words: string, act: () => void, close: () => void) => (
    <MenuItem
      onPick={() => {
        close();
        act();
      }}
    >
      {words}
    </MenuItem>
  );
  return (
    <>
      <MenuButton label="Add knowledge" name="Add" className="button only-icon ghost" content={<Icon name="plus" />}>
        {(close) => (
          <>
            {item("Type an answer", () => setDialog("typed"), close)}
            {item("Bound the sizes of clusters", () => setDialog("sizes"), close)}
            <hr />
            {item("Import constraints", () => choose("constraints"), close)}
            {item("Import a log of answers", () => choose("answers"), close)}
            {item("Import a taxonomy", () => choose("taxonomy"), close)}
            <hr />
            {item("Export constraints", () => void save("constraints"), close)}
            {item("Export the log of answers", () => void save("answers"), close)}
          </>
        )}
      </MenuButton>
      <input
        ref={input}
        type="file"
        className="heard"
        tabIndex={-1}
        aria-label="Knowledge file"
        onChange={(event) => {
          void take(event.target.files?.[0]);
          event.target.value = "";
        }}
      />
      {dialog === "sizes" && <SizesDialog onClose={() => setDialog(null)} />}
      {dialog === "typed" && <TypedDialog onClose={() => setDialog(null)} />}
    </>
  );
}

function SizesDialog({ onClose }: { readonly onClose: () => void }) {
  const { deeds } = useSession();
  const now = useProject(
    ({ knowledge }) => knowledge.constraints.filter(({ constraint }) => constraint.type === "sizes").at(-1)?.constraint,
  );
  const before: { readonly min?: number | undefined; readonly max?: number | undefined } = now?.type === "sizes" ? now : {};
  const submit = (event: React.FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [min, max] = [Number(form.get("min")), Number(form.get("max"))];
    if (min > 0 || max > 0) void deeds.say([{ type: "sizes", ...(min > 0 ? { min } : {}), ...(max > 0 ? { max } : {}) }]);
    onClose();
  };
  return (
    <Dialog title="Sizes of clusters" onClose={onClose}>
      <form onSubmit={submit} className="form dialog-form">
        <label htmlFor="size-min">Fewest rows</label>
        <input id="size-min" name="min" data-first className="field" type="number" min="0" step="1" defaultValue={before.min} />
        <label htmlFor="size-max">Most rows</label>
        <input id="size-max" name="max" className="field" type="number" min="1" step="1" defaultValue={before.max} />
        <span />
        <Button type="submit" look="solid">
          Set the bounds
        </Button>
      </form>
    </Dialog>
  );
}

function TypedDialog({ onClose }: { readonly onClose: () => void }) {
  const { deeds, store } = useSession();
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
    void deeds.say([constraint]);
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

/** A row that is not there may be one of those that are not used. */
export function withLeftOut(problem: string, leftOut: number): string {
  const isLost = problem.startsWith("There is no row ") && leftOut > 0;
  return isLost
    ? `${problem} ${counted(leftOut, "row")} of the file ${leftOut === 1 ? "is" : "are"} left out: cells are missing.`
    : problem;
}

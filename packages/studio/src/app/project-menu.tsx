/** The project's name, and what can be done with the project as a whole. */
import { useState } from "react";
import { useApp, useProject, useSession, useStudio } from "../page/context.js";
import { go, viewAddress } from "../page/router.js";
import { loadApp } from "../state/app-state.js";
import { Button } from "../ui/controls.js";
import { Dialog } from "../ui/dialog.js";
import { Icon } from "../ui/icons.js";
import { MenuButton, MenuItem } from "../ui/popup.js";

export function ProjectMenu() {
  const name = useProject(({ project }) => project.name);
  const id = useProject(({ project }) => project.id);
  const projects = useApp((state) => state.projects);
  const [asking, setAsking] = useState<"rename" | "delete" | null>(null);
  const others = (projects ?? []).filter((project) => project.id !== id).slice(0, 6);
  return (
    <>
      <MenuButton
        label="Project"
        className="crumb"
        content={
          <>
            <span className="cut">{name}</span> <Icon name="down" />
          </>
        }
      >
        {(close) => (
          <>
            {others.map((other) => (
              <MenuItem key={other.id} onPick={() => go(viewAddress(other.id, "map"))}>
                {other.name}
              </MenuItem>
            ))}
            {others.length > 0 && <hr />}
            <MenuItem onPick={() => go("#/")}>All projects</MenuItem>
            <MenuItem
              onPick={() => {
                close();
                setAsking("rename");
              }}
            >
              Rename
            </MenuItem>
            <MenuItem
              onPick={() => {
                close();
                setAsking("delete");
              }}
            >
              Delete
            </MenuItem>
          </>
        )}
      </MenuButton>
      {asking === "rename" && <Rename name={name} onClose={() => setAsking(null)} />}
      {asking === "delete" && <Delete name={name} onClose={() => setAsking(null)} />}
    </>
  );
}

function Rename({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { deeds } = useSession();
  const [next, setNext] = useState(name);
  const submit = async (event: React.FormEvent) => {
    event.preventDefault();
    if (next.trim() !== "") await deeds.change({ name: next.trim() });
    onClose();
  };
  return (
    <Dialog title="Rename the project" onClose={onClose}>
      <form onSubmit={submit} className="row">
        <input
          className="field"
          aria-label="Name"
          data-first
          value={next}
          maxLength={200}
          onChange={(event) => setNext(event.target.value)}
        />
        <Button type="submit" look="solid">
          Rename
        </Button>
      </form>
    </Dialog>
  );
}

function Delete({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { client, app } = useStudio();
  const { id, deeds } = useSession();
  const remove = async () => {
    try {
      await client.call("deleteProject", { project: id });
      go("#/");
      await loadApp(client, app);
    } catch (error) {
      deeds.fail(error);
      onClose();
    }
  };
  return (
    <Dialog title={`Delete ${name}?`} onClose={onClose}>
      <p>Its answers and runs are deleted for good. The file that it was made from stays where it is.</p>
      <p className="row dialog-actions">
        <Button look="danger" onClick={remove}>
          Delete {name}
        </Button>
        <Button look="ghost" onClick={onClose} data-first>
          Keep it
        </Button>
      </p>
    </Dialog>
  );
}

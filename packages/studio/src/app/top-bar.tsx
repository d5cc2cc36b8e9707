/** The bar on top: where one is, what one can look for, what one can take away. */
import { counted, formatCount } from "@coterie/figures/layout";
import { useEffect, useState } from "react";
import { useApp, useProject, useSession, useStudio } from "../page/context.js";
import { ExportButton } from "../page/export-menu.js";
import { go, type ViewName, viewAddress } from "../page/router.js";
import { loadApp } from "../state/app-state.js";
import { Button, IconButton, LinkButton } from "../ui/controls.js";
import { Dialog } from "../ui/dialog.js";
import { Brand, Icon } from "../ui/icons.js";
import { MenuButton, MenuItem } from "../ui/popup.js";
import { toggleTheme } from "./theme.js";

const TABS: readonly (readonly [ViewName, string])[] = [
  ["map", "Map"],
  ["ask", "Ask"],
  ["compare", "Compare"],
  ["understand", "Understand"],
];

export function TopBar({ project, view }: { readonly project?: string; readonly view?: ViewName }) {
  const { app } = useStudio();
  const words = project === undefined ? "Find project or command" : "Find row or command";
  return (
    <header className="top-bar">
      <a className="brand" href="#/">
        <Brand />
        Coterie
      </a>
      {project !== undefined && (
        <>
          <span className="divider" />
          <ProjectMenu />
          <Tabs project={project} view={view} />
        </>
      )}
      <span className="grow" />
      {project !== undefined && <Saved />}
      <search>
        <button
          type="button"
          className={`find ${project === undefined ? "wide" : ""}`}
          onClick={() => app.set({ overlay: "palette" })}
        >
          <Icon name="search" />
          <span className="grow cut">{words}</span>
          <kbd className="key-cap">Ctrl K</kbd>
        </button>
      </search>
      {project !== undefined && <ExportButton />}
      <IconButton icon="moon" label="Theme" onClick={toggleTheme} />
    </header>
  );
}

function Tabs({ project, view }: { readonly project: string; readonly view: ViewName | undefined }) {
  const left = useProject(({ ask }) => (ask === null ? null : Math.max(0, ask.budget - ask.answered)));
  return (
    <nav className="tabs" aria-label="Project">
      {TABS.map(([name, title]) => (
        <a key={name} href={viewAddress(project, name)} aria-current={name === view ? "page" : undefined}>
          {title}
          {name === "ask" && left !== null && left > 0 && <span className="count"> {formatCount(left)} left</span>}
        </a>
      ))}
    </nav>
  );
}

/** Whether what was said is on disk. */
function Saved() {
  const { waiting, link } = useProject((state) => ({ waiting: state.waiting, link: state.link }));
  const keeps = useApp(({ info }) => info?.keeps);
  if (link.state === "lost") return <Offline waiting={waiting} retryAt={link.retryAt} />;
  const words = waiting > 0 ? "Saving…" : keeps === "browser" ? "Saved in this browser" : "Saved";
  return (
    <span className="saved meta" role="status">
      {words}
    </span>
  );
}

function Offline({ waiting, retryAt }: { readonly waiting: number; readonly retryAt: number }) {
  const session = useSession();
  const total = useProject(({ knowledge }) => knowledge.constraints.length);
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((retryAt - now) / 1000));
  const kept =
    waiting > 0
      ? `${counted(waiting, "answer")} ${waiting === 1 ? "waits" : "wait"} here.`
      : `${formatCount(total)} answers are on disk.`;
  return (
    <span className="saved row" role="status">
      <span>
        <b className="warn">The studio’s server does not answer</b>{" "}
        <span className="quiet">
          {kept} Trying again in {seconds} s.
        </span>
      </span>
      <LinkButton onClick={session.retry}>Try now</LinkButton>
    </span>
  );
}

/* The project's name, and what can be done with the project as a whole. */

function ProjectMenu() {
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
  const { actions } = useSession();
  const [next, setNext] = useState(name);
  const submit = async (event: React.FormEvent) => {
    event.preventDefault();
    if (next.trim() !== "") await actions.change({ name: next.trim() });
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
  const { id, actions } = useSession();
  const remove = async () => {
    try {
      await client.call("deleteProject", { project: id });
      go("#/");
      await loadApp(client, app);
    } catch (error) {
      actions.fail(error);
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

/** The studio: one page at a time, with the project that the address names. */
import { counted, formatCount } from "@coterie/figures/layout";
import { QUESTION_KEYS, type RowReply } from "@coterie/workbench/protocol";
import { Component, lazy, type ReactNode, Suspense, useEffect, useId, useMemo, useState } from "react";
import { SessionContext, type Studio, StudioContext, tell, useApp, useProject, useSession, useStudio } from "../page/context.js";
import { ExportButton } from "../page/export-menu.js";
import { reportSelection } from "../page/framed.js";
import { KEY_LIST, setLetters, useKeys } from "../page/keys.js";
import { go, type Route, useRoute, type ViewName, viewAddress } from "../page/router.js";
import { pickFoundRow } from "../page/row-pick.js";
import { Start } from "../start/start.js";
import { firstAppState, loadApp, setLetterKeys, setName } from "../state/app-state.js";
import type { Client } from "../state/client.js";
import type { AppState, Problem } from "../state/model.js";
import { problemOf } from "../state/problems.js";
import { openSession, type Session } from "../state/session.js";
import { createStore } from "../state/store.js";
import { Button, Cap, IconButton, LinkButton } from "../ui/controls.js";
import { Dialog, FieldDialog } from "../ui/dialog.js";
import { cell } from "../ui/format.js";
import { Brand, Icon } from "../ui/icons.js";
import { MenuButton, MenuItem } from "../ui/popup.js";
import { Waiting } from "../ui/waiting.js";

const views = {
  map: () => import("./workspace.js"),
  ask: () => import("../ask/ask.js"),
  compare: () => import("../compare/compare.js"),
  understand: () => import("../understand/understand.js"),
};
const Workspace = lazy(() => views.map().then((module) => ({ default: module.Workspace })));
const Ask = lazy(() => views.ask().then((module) => ({ default: module.Ask })));
const Compare = lazy(() => views.compare().then((module) => ({ default: module.Compare })));
const Understand = lazy(() => views.understand().then((module) => ({ default: module.Understand })));

export function App({ client }: { readonly client: Client }) {
  const studio = useMemo<Studio>(() => ({ client, app: createStore(firstAppState()) }), [client]);
  useEffect(() => {
    void loadApp(studio.client, studio.app);
    const follow = () => setLetters(studio.app.get().letters);
    follow();
    return studio.app.subscribe(follow);
  }, [studio]);
  return (
    <StudioContext value={studio}>
      <Page />
      <Toasts />
    </StudioContext>
  );
}

function Page() {
  const route = useRoute();
  const { app } = useStudio();
  const show = (overlay: AppState["overlay"]) => () => app.set({ overlay });
  useKeys({ "Ctrl+K": show("palette"), "?": show("keys"), Escape: show(null) });
  if (route.page === "project") return <ProjectPage key={route.project} route={route} />;
  return (
    <div className="app">
      <TopBar />
      <Start />
      <Palette />
      <KeyHelp />
    </div>
  );
}

type ProjectRoute = Extract<Route, { page: "project" }>;

function ProjectPage({ route }: { readonly route: ProjectRoute }) {
  const { client, app } = useStudio();
  const [session, setSession] = useState<Session | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const { project, view } = route;
  const { algorithm } = route.query;
  // Load the code of the view while the project loads. If loading the code fails, the error is shown where the view is rendered.
  useEffect(() => void views[view]().catch(() => {}), [view]);
  useEffect(() => {
    let closed = false;
    let opened: Session | null = null;
    let endReports = () => {};
    openSession(client, project, { me: () => app.get().me, tell: (text, more) => tell(app, text, more) }).then(
      (next) => {
        if (closed) return next.close();
        opened = next;
        endReports = reportSelection(next.store);
        // A link to an example names the method that it shows.
        if (algorithm !== undefined) next.store.set({ method: { algorithm, options: {}, seed: 0 } });
        setSession(next);
      },
      (error: unknown) => !closed && setProblem(problemOf(error)),
    );
    return () => {
      closed = true;
      endReports();
      opened?.close();
    };
  }, [client, app, project, algorithm]);
  if (problem) return <NoProject problem={problem} />;
  if (!session) return <Waiting className="app">Opening the project</Waiting>;
  return (
    <SessionContext value={session}>
      <OpenProject route={route} />
    </SessionContext>
  );
}

function NoProject({ problem }: { readonly problem: Problem }) {
  return (
    <div className="app">
      <TopBar />
      <main className="page-note">
        <h1>This project cannot be opened</h1>
        <p className="lead">{problem.message}</p>
        <p className="row">
          <Button look="solid" onClick={() => go("#/")}>
            All projects
          </Button>
          <Button onClick={() => location.reload()}>Try again</Button>
        </p>
      </main>
    </div>
  );
}

function OpenProject({ route }: { readonly route: ProjectRoute }) {
  const { project, view } = route;
  const { name, gone } = useProject((state) => ({ name: state.project.name, gone: state.gone }));
  const { store, actions } = useSession();
  useEffect(() => {
    const titles = { map: "Map", ask: "Ask", compare: "Compare", understand: "Understand" };
    document.title = `${titles[view]} · ${name} · Coterie`;
  }, [view, name]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each view starts with charts
  useEffect(() => store.set({ table: false }), [view, store]);
  useKeys({
    "g m": () => go(viewAddress(project, "map")),
    "g a": () => go(viewAddress(project, "ask")),
    "g c": () => go(viewAddress(project, "compare")),
    "g u": () => go(viewAddress(project, "understand")),
    // Undo works on every page, because answers are given, dropped and weighted on several pages.
    [QUESTION_KEYS.undo.key]: () => void actions.undo(),
    "Ctrl+Z": () => void actions.undo(),
    "Ctrl+Shift+Z": () => void actions.redo(),
  });
  if (gone) return <NoProject problem={{ code: "gone", message: `${name} was deleted.` }} />;
  return (
    <div className="app">
      <TopBar project={project} view={view} />
      <Boundary key={view}>
        <Suspense fallback={<main aria-busy="true" />}>
          {view === "map" && <Workspace />}
          {view === "ask" && <Ask query={route.query} />}
          {view === "compare" && <Compare query={route.query} />}
          {view === "understand" && <Understand query={route.query} />}
        </Suspense>
      </Boundary>
      <Palette project={project} />
      <KeyHelp />
    </div>
  );
}

function Toasts() {
  const toasts = useApp((state) => state.toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, text, tone, button }) => (
        <div key={id} className="toast floating">
          <span className={`grow ${tone === "bad" ? "bad" : ""}`}>{text}</span>
          {button && <LinkButton onClick={button.act}>{button.label}</LinkButton>}
        </div>
      ))}
    </div>
  );
}

/* A boundary around a view. If the view throws, its error is shown in its place, and all other parts of the page keep working. */

interface BoundaryProps {
  readonly children: ReactNode;
}

class Boundary extends Component<BoundaryProps, { readonly message: string | null }> {
  override readonly state = { message: null as string | null };

  static getDerivedStateFromError(error: unknown) {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override render() {
    if (this.state.message === null) return this.props.children;
    return (
      <main className="page-note" role="alert">
        <h1>This view failed</h1>
        <p className="lead">This is a bug in the studio, not in your data. Your answers are saved.</p>
        <pre className="mono">{this.state.message}</pre>
        <p>
          <Button look="solid tall" onClick={() => this.setState({ message: null })}>
            Reload the view
          </Button>
        </p>
      </main>
    );
  }
}

function KeyHelp() {
  const { app } = useStudio();
  const { overlay, letters, me } = useApp((state) => ({ overlay: state.overlay, letters: state.letters, me: state.me }));
  const id = useId();
  if (overlay !== "keys") return null;
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => app.set({ overlay: null })}>
      <table className="table tight">
        <tbody>
          {KEY_LIST.map(([keys, does]) => (
            <tr key={keys}>
              <td>
                <Cap>{keys}</Cap>
              </td>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="row settings-row">
        <input
          id={`${id}-letters`}
          className="check"
          type="checkbox"
          checked={letters}
          onChange={() => setLetterKeys(app, !letters)}
        />
        <label htmlFor={`${id}-letters`}>Use single letters as shortcuts</label>
      </p>
      <p className="row settings-row">
        <label htmlFor={`${id}-name`}>Your name, shown beside your answers</label>
        <input
          id={`${id}-name`}
          className="field"
          defaultValue={me}
          maxLength={100}
          onBlur={(event) => setName(app, event.target.value)}
        />
      </p>
    </Dialog>
  );
}

interface SearchItem {
  readonly key: string;
  readonly label: string;
  readonly note: string;
  readonly act: () => void;
}

function Palette({ project }: { readonly project?: string }) {
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
  const found = useItems(project, text);
  const list = useId();
  const act = (item: SearchItem | undefined) => {
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
      <div id={list} role="listbox" aria-label="Results" className="palette-list">
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

function useItems(project: string | undefined, text: string): readonly SearchItem[] {
  const commands = useCommands(project);
  const rows = useRows(project, text);
  const wanted = text.trim().toLowerCase();
  const matching = commands.filter(({ label }) => label.toLowerCase().includes(wanted));
  const rowItems = rows.map(
    (row): SearchItem => ({
      key: `row ${row.row}`,
      label: `Row ${row.id}`,
      note: row.cells.slice(0, 5).map(cell).join(", "),
      act: () => pickFoundRow(project!, row.row),
    }),
  );
  return wanted === "" ? matching : [...rowItems, ...matching];
}

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

function useCommands(project: string | undefined): readonly SearchItem[] {
  const { app } = useStudio();
  const projects = useApp((state) => state.projects);
  const command = (label: string, note: string, act: () => void): SearchItem => ({ key: label, label, note, act });
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
    command("All projects", "", () => go("#/")),
    command("Switch between light and dark", "", toggleTheme),
    command("Keyboard shortcuts", "?", () => app.set({ overlay: "keys" })),
    ...open,
  ];
}

const TABS: readonly (readonly [ViewName, string])[] = [
  ["map", "Map"],
  ["ask", "Ask"],
  ["compare", "Compare"],
  ["understand", "Understand"],
];

function TopBar({ project, view }: { readonly project?: string; readonly view?: ViewName }) {
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
      ? `${counted(waiting, "answer")} ${waiting === 1 ? "is" : "are"} not saved yet.`
      : `All ${formatCount(total)} answers are saved.`;
  return (
    <span className="saved row" role="status">
      <span>
        <b className="warn">The server does not respond</b>{" "}
        <span className="quiet">
          {kept} Next attempt in {seconds} s.
        </span>
      </span>
      <LinkButton onClick={session.retry}>Try now</LinkButton>
    </span>
  );
}

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
        {others.map((other) => (
          <MenuItem key={other.id} onPick={() => go(viewAddress(other.id, "map"))}>
            {other.name}
          </MenuItem>
        ))}
        {others.length > 0 && <hr />}
        <MenuItem onPick={() => go("#/")}>All projects</MenuItem>
        <MenuItem onPick={() => setAsking("rename")}>Rename</MenuItem>
        <MenuItem onPick={() => setAsking("delete")}>Delete</MenuItem>
      </MenuButton>
      {asking === "rename" && <Rename name={name} onClose={() => setAsking(null)} />}
      {asking === "delete" && <Delete name={name} onClose={() => setAsking(null)} />}
    </>
  );
}

function Rename({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { actions } = useSession();
  const rename = (next: string) => next.trim() !== "" && actions.change({ name: next.trim() });
  return <FieldDialog title="Rename the project" label="Name" submit="Rename" value={name} onSubmit={rename} onClose={onClose} />;
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
      <p>Its answers and runs are deleted and cannot be restored. The original file is not deleted.</p>
      <p className="row dialog-actions">
        <Button look="danger" onClick={remove}>
          Delete {name}
        </Button>
        <Button look="ghost" onClick={onClose} data-first>
          Cancel
        </Button>
      </p>
    </Dialog>
  );
}

const KEY = "coterie.theme";

function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function toggleTheme(): void {
  const theme = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The browser can forbid storage. Then the choice of the theme is lost when the page is closed.
  }
}

/** The studio: one page at a time, with the project that its address names. */
import { QUESTION_KEYS } from "@coterie/workbench/protocol";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { SessionContext, type Studio, StudioContext, tell, useProject, useSession, useStudio } from "../page/context.js";
import { setLetters, useKeys } from "../page/keys.js";
import { go, type Route, useRoute, viewAddress } from "../page/router.js";
import { Start } from "../start/start.js";
import { firstAppState, loadApp } from "../state/app-state.js";
import type { Client } from "../state/client.js";
import type { AppState, Problem } from "../state/model.js";
import { problemOf } from "../state/problems.js";
import { openSession, type Session } from "../state/session.js";
import { createStore } from "../state/store.js";
import { Button } from "../ui/controls.js";
import { Waiting } from "../ui/waiting.js";
import { Boundary } from "./boundary.js";
import { KeyHelp } from "./key-help.js";
import { Palette } from "./palette.js";
import { Toasts } from "./toasts.js";
import { TopBar } from "./top-bar.js";

/** The room of each view is loaded when it is wanted. */
const rooms = {
  map: () => import("./workspace.js"),
  ask: () => import("../ask/ask.js"),
  compare: () => import("../compare/compare.js"),
  understand: () => import("../understand/understand.js"),
};
const Workspace = lazy(() => rooms.map().then((room) => ({ default: room.Workspace })));
const Ask = lazy(() => rooms.ask().then((room) => ({ default: room.Ask })));
const Compare = lazy(() => rooms.compare().then((room) => ({ default: room.Compare })));
const Understand = lazy(() => rooms.understand().then((room) => ({ default: room.Understand })));

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
  // The room is on its way while the project is; a room that does not come is told where it is shown.
  useEffect(() => void rooms[view]().catch(() => {}), [view]);
  useEffect(() => {
    let closed = false;
    let opened: Session | null = null;
    openSession(client, project, { me: () => app.get().me, tell: (text, more) => tell(app, text, more) }).then(
      (next) => {
        if (closed) return next.close();
        opened = next;
        setSession(next);
      },
      (error: unknown) => !closed && setProblem(problemOf(error)),
    );
    return () => {
      closed = true;
      opened?.close();
    };
  }, [client, app, project]);
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
        <h1>This project does not open</h1>
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
  const { store, deeds } = useSession();
  useEffect(() => {
    const titles = { map: "Map", ask: "Ask", compare: "Compare", understand: "Understand" };
    document.title = `${titles[view]} · ${name} · Coterie`;
  }, [view, name]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each view begins with its charts
  useEffect(() => store.set({ table: false }), [view, store]);
  useKeys({
    "g m": () => go(viewAddress(project, "map")),
    "g a": () => go(viewAddress(project, "ask")),
    "g c": () => go(viewAddress(project, "compare")),
    "g u": () => go(viewAddress(project, "understand")),
    // Answers can be given, dropped and weighed on more than one page, so undo works on each.
    [QUESTION_KEYS.undo.key]: () => void deeds.undo(),
    "Ctrl+Z": () => void deeds.undo(),
    "Ctrl+Shift+Z": () => void deeds.redo(),
  });
  if (gone) return <NoProject problem={{ code: "gone", message: `Somebody deleted ${name}.` }} />;
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

/** The bar on top: where one is, what one can look for, what one can take away. */
import { useEffect, useState } from "react";
import { useApp, useProject, useSession, useStudio } from "../page/context.js";
import { ExportButton } from "../page/export-menu.js";
import { type ViewName, viewAddress } from "../page/router.js";
import { IconButton, LinkButton } from "../ui/controls.js";
import { count, counted } from "../ui/format.js";
import { Brand, Icon } from "../ui/icons.js";
import { ProjectMenu } from "./project-menu.js";
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
          {name === "ask" && left !== null && left > 0 && <span className="count"> {count(left)} left</span>}
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
      : `${count(total)} answers are on disk.`;
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

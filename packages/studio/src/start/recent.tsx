/** Projects, the newest first, with a small picture of each. */
import { colourOf, counted, formatCount } from "@coterie/figures/layout";
import type { Project } from "@coterie/workbench/protocol";
import { useEffect, useRef, useState } from "react";
import { css } from "../map/drawing/colours.js";
import { usePalette } from "../map/drawing/palette.js";
import { useApp, useStudio } from "../page/context.js";
import { viewAddress } from "../page/router.js";
import { clusteredLabels } from "../state/lookups.js";
import { floatsFrom } from "../state/numbers.js";
import { boundsOf } from "../state/view.js";
import { Cap, LinkButton } from "../ui/controls.js";
import { ago } from "../ui/format.js";

const FEW = 6;

export function Recent() {
  const projects = useApp((state) => state.projects);
  const [all, setAll] = useState(false);
  const shown = (projects ?? []).slice(0, all ? undefined : FEW);
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: React.KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    const links = [...list.current!.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    links[(at + step + links.length) % links.length]?.focus();
    event.preventDefault();
  };
  return (
    <aside className="side" aria-label="Recent projects">
      <div className="recent-head">
        <h2 className="grow">Recent</h2>
        <LinkButton aria-pressed={all} onClick={() => setAll(!all)}>
          All projects
        </LinkButton>
      </div>
      <div ref={list} className="scroll" onKeyDown={onKeyDown}>
        {shown.map((project) => (
          <RecentRow key={project.id} project={project} />
        ))}
        {projects?.length === 0 && (
          <p className="recent-none quiet">
            No projects yet. A sample is a good first one: in penguins a few labels part two species that lie together.
          </p>
        )}
      </div>
      <div className="recent-keys row quiet">
        <Cap>↑</Cap>
        <Cap>↓</Cap> choose <Cap>↵</Cap> open <Cap>?</Cap> all keys
      </div>
    </aside>
  );
}

function RecentRow({ project }: { readonly project: Project }) {
  return (
    <a className="recent" href={viewAddress(project.id, "map")}>
      <Thumbnail project={project} />
      <span className="cut">
        <b className="recent-name">{project.name}</b>
        <br />
        {project.rows > 0 && (
          <>
            <span className="quiet">{holdings(project)}</span>
            <br />
          </>
        )}
        <Standing project={project} />
      </span>
      <span className="meta num">{ago(project.changed, Date.now())}</span>
    </a>
  );
}

function holdings({ rows, constraints, runs }: Pick<Project, "rows" | "constraints" | "runs">): string {
  if (constraints === 0) return `${counted(rows, "row")}, no answers yet`;
  return [counted(rows, "row"), counted(constraints, "answer"), counted(runs, "run")].join(", ");
}

function Standing({ project: { broken, runs, problem } }: { readonly project: Project }) {
  if (problem !== undefined)
    return (
      <span className="bad" title={problem}>
        {problem}
      </span>
    );
  if (runs === 0 || broken === null) return <span className="quiet">not run</span>;
  if (broken === 0) return <span className="good">all answers kept</span>;
  return <span className="bad">{broken === 1 ? "1 answer broken" : `${formatCount(broken)} answers broken`}</span>;
}

/** The rows of a project as dots. */
function Thumbnail({ project }: { readonly project: Project }) {
  const { client } = useStudio();
  const canvas = useRef<HTMLCanvasElement>(null);
  const palette = usePalette();
  const [dots, setDots] = useState<{ readonly xy: Float32Array; readonly slots: readonly number[] } | null>(null);
  const { id, runs, rows, problem } = project;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a project is drawn anew when its rows or runs change
  useEffect(() => {
    if (rows > 20_000 || problem !== undefined) return;
    const stop = new AbortController();
    const load = async () => {
      const { xy } = await client.call("map", { project: id }, { signal: stop.signal });
      const done =
        runs === 0
          ? []
          : (await client.call("runs", { project: id }, { signal: stop.signal })).filter(({ state }) => state === "done");
      const run = done.at(-1);
      const found = run ? await client.call("run", { project: id, run: run.number }, { signal: stop.signal }) : null;
      const known = found?.current ? (found.report?.labels as (number | null)[]) : [];
      const labels = [...clusteredLabels(known, project)];
      setDots({ xy: floatsFrom(xy), slots: labels.map((label) => run?.letters?.[label] ?? label) });
    };
    load().catch(() => {});
    return () => stop.abort();
  }, [client, id, runs, rows, problem]);
  useEffect(() => {
    if (!dots || !canvas.current) return;
    const context = canvas.current.getContext("2d")!;
    const { minX, maxX, minY, maxY } = boundsOf(dots.xy);
    context.clearRect(0, 0, 240, 160);
    const scale = Math.min(212 / (maxX - minX || 1), 132 / (maxY - minY || 1));
    for (let row = 0; row < dots.xy.length / 2; row++) {
      context.fillStyle = css(palette.marks[colourOf(dots.slots[row] ?? -1)]!, 0.85);
      const x = 120 + (dots.xy[2 * row]! - (minX + maxX) / 2) * scale;
      const y = 80 - (dots.xy[2 * row + 1]! - (minY + maxY) / 2) * scale;
      context.fillRect(x - 2, y - 2, 4, 4);
    }
  }, [dots, palette]);
  return <canvas ref={canvas} className="thumbnail" width={240} height={160} aria-hidden="true" />;
}

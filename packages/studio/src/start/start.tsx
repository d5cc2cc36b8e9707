/** The start page: open a table, a sample or a project. */
import { colourOf, counted, formatCount, shapePath } from "@coterie/figures/layout";
import type { Constraint, Project, ReadingChange, RouteReply } from "@coterie/workbench/protocol";
import { useEffect, useRef, useState } from "react";
import { css } from "../map/drawing/colours.js";
import { usePalette } from "../map/drawing/palette.js";
import { useApp, useStudio } from "../page/context.js";
import { useKeys } from "../page/keys.js";
import { Glyph } from "../page/marks.js";
import { Fault } from "../page/problems.js";
import { go, viewAddress } from "../page/router.js";
import { loadApp } from "../state/app-state.js";
import type { Client } from "../state/client.js";
import { clusteredLabels } from "../state/lookups.js";
import type { Problem } from "../state/model.js";
import { floatsFrom } from "../state/numbers.js";
import { isAbort, problemOf } from "../state/problems.js";
import type { Offer } from "../state/spoken.js";
import { boundsOf } from "../state/view.js";
import { Button, Cap, FileInput, LinkButton } from "../ui/controls.js";
import { Dialog } from "../ui/dialog.js";
import { ago } from "../ui/format.js";
import { UnknownMeter, useLate } from "../ui/waiting.js";
import { type ExampleLink, parseExampleLink } from "./example-link.js";
import "./start.css";

/** Names of files that consist of lines of text. If such a file has a bad line, the user can leave the line out. */
const LINES = /\.(csv|tsv|txt|jsonl|ndjson|arff)$/i;

const MOST_BYTES = 50_000_000;

const KINDS: readonly (readonly [Constraint["type"], string, string])[] = [
  ["must-link", "Must-link", "a and b belong together"],
  ["cannot-link", "Cannot-link", "a and b do not belong together"],
  ["relative", "Odd one out", "a, b | c: c is least like the other two"],
  ["label", "Label", "this row is a Gentoo"],
  ["exclusive", "At most one per source", "rows with the same source are in different clusters"],
];

export function Start() {
  const { client, app } = useStudio();
  useEffect(() => {
    document.title = "Start · Coterie";
    void loadApp(client, app);
  }, [client, app]);
  return (
    <div className="start">
      <main className="start-main">
        <h1>Start with a table</h1>
        <p className="lead">
          Coterie draws the rows as a map, checks your answers about some rows, and clusters all rows to match the answers.
        </p>
        <NoAnswer />
        <Opening />
      </main>
      <Recent />
    </div>
  );
}

/** A message that the studio cannot be reached. The message is above all other parts of the page, because they need the studio. */
function NoAnswer() {
  const { client, app } = useStudio();
  const problem = useApp((state) => state.problem);
  if (!problem) return null;
  return (
    <Fault problem={problem} look="start-alert">
      <Button look="small-button" onClick={() => void loadApp(client, app)}>
        Try again
      </Button>
    </Fault>
  );
}

interface Work {
  readonly title: string;
  readonly stop: AbortController;
}

/** Opens tables and samples as projects. Returns the work in progress, the last error, and functions to open. */
function useOpening() {
  const { client, app } = useStudio();
  const [work, setWork] = useState<Work | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [tried, setTried] = useState<readonly File[]>([]);
  const open = async (
    title: string,
    make: (signal: AbortSignal) => Promise<Project>,
    query: Readonly<Record<string, string>> = {},
  ) => {
    const stop = new AbortController();
    setProblem(null);
    setWork({ title, stop });
    try {
      const project = await make(stop.signal);
      go(viewAddress(project.id, "map", query));
    } catch (error) {
      if (!isAbort(error)) setProblem(problemOf(error));
    } finally {
      setWork(null);
    }
  };
  const [read, setRead] = useState<ReadingChange>({});
  const openFiles = (files: readonly File[], reading: ReadingChange = {}) => {
    const me = app.get().me;
    setTried(files);
    setRead(reading);
    if (files.length > 0)
      void open(`Reading ${files[0]!.name}`, (signal) => projectFromFiles(client, files, me, signal, reading));
  };
  const take = (offer: Offer) => openFiles(tried, readingWith(read, offer));
  const openSample = (sample: string) =>
    void open(`Opening ${sample}`, (signal) => client.call("createProject", { sample }, { signal }));
  const openLink = useRef((link: ExampleLink) => {
    const query = link.algorithm === null ? {} : { algorithm: link.algorithm };
    void open(`Opening ${link.title}`, (signal) => projectFromLink(client, link, app.get().me, signal), query);
  });
  useEffect(() => {
    const link = parseExampleLink(location.hash);
    if (link) openLink.current(link);
  }, []);
  return { work, problem, tried, openFiles, openSample, take };
}

function Opening() {
  const { work, problem, tried, openFiles, openSample, take } = useOpening();
  const [over, setOver] = useState(false);
  const [pasting, setPasting] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useKeys({ o: () => input.current?.click() });
  usePaste((text) => openFiles([new File([text], "pasted.csv")]), pasting);
  const onDrop = (event: React.DragEvent) => {
    event.preventDefault();
    setOver(false);
    openFiles([...event.dataTransfer.files]);
  };
  return (
    <>
      <div
        className={`drop ${over ? "over" : ""}`}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      >
        <TableToMap />
        <p className="drop-title">Drop a file here</p>
        <div className="row">
          <Button look="solid tall" cap="O" onClick={() => input.current?.click()}>
            Choose a file
          </Button>
          <Button look="tall" cap="Ctrl V" onClick={() => setPasting(true)}>
            Paste a table
          </Button>
        </div>
        <p className="quiet">
          CSV, TSV, JSON lines, Parquet, Arrow or ARFF, with a constraints file if you have one. Nothing leaves this computer.
        </p>
        <FileInput label="Files" input={input} multiple onFiles={openFiles} />
      </div>
      {work && <Working work={work} />}
      {problem && (
        <BadFile problem={problem} tried={tried} onOpen={openFiles} onTake={take} onChoose={() => input.current?.click()} />
      )}
      <Kinds />
      <Samples onOpen={openSample} />
      {pasting && (
        <PasteDialog onClose={() => setPasting(false)} onPaste={(text) => openFiles([new File([text], "pasted.csv")])} />
      )}
    </>
  );
}

function usePaste(take: (text: string) => void, off: boolean): void {
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    if (off) return;
    const onPaste = (event: ClipboardEvent) => {
      if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return;
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (text.trim() !== "") latest.current(text);
    };
    addEventListener("paste", onPaste);
    return () => removeEventListener("paste", onPaste);
  }, [off]);
}

/** Shows the work in progress and a button to cancel it. It appears after 400 ms, so that quick work shows nothing. */
function Working({ work }: { readonly work: Work }) {
  if (!useLate()) return null;
  return (
    <div className="start-note floating" role="status">
      <div className="row">
        <b className="grow cut">{work.title}</b>
        <Button look="ghost small-button" onClick={() => work.stop.abort()}>
          Cancel
        </Button>
      </div>
      <UnknownMeter />
    </div>
  );
}

interface BadFileProps {
  readonly problem: Problem;
  readonly tried: readonly File[];
  readonly onOpen: (files: readonly File[]) => void;
  readonly onTake: (offer: Offer) => void;
  readonly onChoose: () => void;
}

function useBadLines(file: File | undefined, line: number | undefined): readonly (readonly [number, string])[] {
  const [lines, setLines] = useState<readonly (readonly [number, string])[]>([]);
  useEffect(() => {
    let isOver = false;
    setLines([]);
    if (file === undefined || line === undefined) return;
    void file.text().then((text) => !isOver && setLines(linesAround(text, line)));
    return () => {
      isOver = true;
    };
  }, [file, line]);
  return lines;
}

function BadFile({ problem, tried, onOpen, onTake, onChoose }: BadFileProps) {
  const { line } = problem;
  const file = tried.find((each) => each.name === problem.file && canEdit(each));
  const lines = useBadLines(file, line);
  const leaveOut = async () => {
    const edited = new File([withoutLine(await file!.text(), line!)], file!.name);
    onOpen(tried.map((each) => (each === file ? edited : each)));
  };
  const details = lines.length > 0 && (
    <pre className="bad-lines" tabIndex={0}>
      {lines.map(([number, text]) => (
        <span key={number} className={number === line ? "bad" : ""}>
          <span className="meta">{number}</span> {text}
          {"\n"}
        </span>
      ))}
    </pre>
  );
  return (
    <Fault problem={problem} look="start-alert" details={details} onTake={tried.length > 0 ? onTake : undefined}>
      {file !== undefined && line !== undefined && line > 1 && (
        <Button look="small-button" onClick={() => void leaveOut()}>
          Leave out line {line}
        </Button>
      )}
      <Button look="small-button" onClick={onChoose}>
        Choose another file
      </Button>
    </Fault>
  );
}

function Samples({ onOpen }: { readonly onOpen: (sample: string) => void }) {
  const { samples, problem } = useApp(({ info, problem: bad }) => ({ samples: info?.samples ?? null, problem: bad }));
  if (problem) return null;
  return (
    <section>
      <h2>Or open a sample</h2>
      <table className="table samples">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">What it holds</th>
            <th scope="col" className="num">
              Rows
            </th>
            <th scope="col" className="num">
              Columns
            </th>
            <th scope="col">Good for</th>
          </tr>
        </thead>
        <tbody>
          {(samples ?? []).map((sample) => (
            <SampleRow key={sample.name} sample={sample} onOpen={() => onOpen(sample.name)} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function SampleRow({ sample, onOpen }: { readonly sample: RouteReply<"info">["samples"][number]; readonly onOpen: () => void }) {
  return (
    <tr onClick={onOpen}>
      <td>
        <LinkButton
          className="plain-link"
          onClick={(event) => {
            event.stopPropagation();
            onOpen();
          }}
        >
          {sample.name}
        </LinkButton>
      </td>
      <td className="quiet cut">{sample.about}</td>
      <td className="num">{formatCount(sample.rows)}</td>
      <td className="num">{formatCount(sample.columns)}</td>
      <td className="quiet cut">{sample.goodFor}</td>
    </tr>
  );
}

/* A dialog to paste a table from the clipboard. The text can be edited before it is opened. */

function PasteDialog({ onClose, onPaste }: { readonly onClose: () => void; readonly onPaste: (text: string) => void }) {
  const [text, setText] = useState("");
  return (
    <Dialog title="Paste a table" onClose={onClose}>
      <textarea
        className="paste-area mono"
        data-first
        aria-label="Table"
        rows={12}
        placeholder="The first line names the columns. Cells are separated by commas, semicolons or tabs."
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <p className="row dialog-actions">
        <Button
          look="solid"
          disabled={text.trim() === ""}
          onClick={() => {
            onClose();
            onPaste(text);
          }}
        >
          Open this table
        </Button>
        <Button look="ghost" onClick={onClose}>
          Cancel
        </Button>
      </p>
    </Dialog>
  );
}

/* A picture that explains the studio: how a table becomes a map, and the five kinds of answers with their signs. */

function TableToMap() {
  return (
    <svg width="72" height="44" viewBox="0 0 72 44" aria-hidden="true">
      <g fill="none" stroke="var(--ink-3)" strokeWidth="1.4" strokeLinecap="round" strokeLinejoin="round">
        <path d="M6 6h26v32H6zM6 14h26M6 22h26M6 30h26M15 6v32M24 6v32" />
        <path d="M40 22h8m-3-3.500l3.500 3.500-3.500 3.500" />
      </g>
      <path d="M58 11l8 7" stroke="var(--link)" strokeWidth="1.3" />
      <path d={`${shapePath(0, 58, 11, 3.5)}${shapePath(0, 66, 18, 3.5)}`} fill="var(--c1)" />
      <path d={shapePath(1, 57.5, 33.5, 3.5)} fill="var(--c2)" />
    </svg>
  );
}

function Kinds() {
  return (
    <ul className="kinds">
      {KINDS.map(([type, title, words]) => (
        <li key={type}>
          <Glyph type={type} />
          <span>
            <b>{title}</b>
            <br />
            <span className="quiet">{words}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

/* Makes a project from files: one table, and optionally constraints or a log of answers. */

async function projectFromFiles(
  client: Client,
  files: readonly File[],
  me: string,
  signal: AbortSignal,
  reading: ReadingChange = {},
): Promise<Project> {
  const roles = await Promise.all(files.map(async (file) => ({ file, isTable: !isAnswers(await file.slice(0, 2_000).text()) })));
  const data = roles.find(({ isTable }) => isTable)?.file ?? files[0]!;
  const { call } = client;
  const { upload } = await call("upload", { name: data.name, bytes: data }, { signal });
  const project = await call("createProject", { upload, name: nameOf(data.name), reading }, { signal });
  for (const { file } of roles) {
    if (file === data) continue;
    const kind = file.name.endsWith(".jsonl") ? "answers" : "constraints";
    await call("importConstraints", { project: project.id, name: file.name, by: me, kind, bytes: file }, { signal });
  }
  return project;
}

/**
 * Adds an accepted offer, such as "read this column as text", to the changes of the reading. Offers that were accepted earlier stay in
 * force.
 */
export function readingWith(before: ReadingChange, offer: Offer): ReadingChange {
  if (offer.kind === "missing") return { ...before, missing: offer.missing };
  if (offer.kind === "scale") return { ...before, scale: offer.scale };
  if (offer.kind === "transform") return { ...before, transforms: { ...before.transforms, [offer.column]: "none" } };
  if (offer.kind === "type") return { ...before, types: { ...before.types, [offer.column]: offer.type } };
  if (offer.role === "id" || offer.role === "truth") return { ...before, [offer.role]: offer.column };
  if (offer.role === "feature") return { ...before, id: null };
  return { ...before, ignore: [...(before.ignore ?? []), offer.column] };
}

function canEdit(file: File): boolean {
  return LINES.test(file.name) && file.size <= MOST_BYTES;
}

/** The line with this number and the line before it, to show a bad line of a file. Each line comes with its number from 1. */
export function linesAround(text: string, line: number): readonly (readonly [number, string])[] {
  const lines = text.split(/\r?\n/, line);
  return [line - 1, line].flatMap((number) => {
    const found = lines[number - 1];
    return found === undefined ? [] : [[number, found.slice(0, 200)] as const];
  });
}

export function withoutLine(text: string, line: number): string {
  const lines = text.split("\n");
  lines.splice(line - 1, 1);
  return lines.join("\n");
}

/** Guesses from the start of a file whether it is a list of constraints or answers instead of a table. */
export function isAnswers(head: string): boolean {
  return /(^|[\s,;"'{])(must-link|cannot-link|ml,|cl,|"answer"\s*:|"ask"\s*:)/i.test(head);
}

/** A project from a link. Its settings are changed before it opens. */
async function projectFromLink(client: Client, link: ExampleLink, me: string, signal: AbortSignal): Promise<Project> {
  const { sample, k, reading } = link;
  const files = await link.files(signal);
  const made =
    sample === null
      ? await projectFromFiles(client, files, me, signal, reading)
      : await client.call("createProject", { sample }, { signal });
  if (sample !== null)
    for (const bytes of files)
      await client.call(
        "importConstraints",
        { project: made.id, name: bytes.name, by: me, kind: "constraints", bytes },
        { signal },
      );
  return k === null ? made : await client.call("changeProject", { project: made.id, k }, { signal });
}

/** The name of a new project, from the name of its file: "penguins" for "penguins.csv". */
export function nameOf(file: string): string {
  const name = file.replace(/\.(csv|tsv|txt|jsonl|ndjson|json|parquet|arrow|feather|arff|npy|gz)$/i, "");
  return name === "" ? file : name;
}

/* The list of projects, the newest first, each with a small picture of its map. */

const FEW = 6;

function Recent() {
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
            No projects yet. Begin with a sample: in penguins, a few labels separate two species that overlap.
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

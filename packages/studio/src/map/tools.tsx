/** The bar over the map: choice of tool, colouring and axes, and the number of links of each kind. */
import { tallyOf } from "@coterie/workbench/protocol";
import { useProject, useSession } from "../page/context.js";
import { newestDone } from "../state/lookups.js";
import type { Axes, Colouring, Tool } from "../state/model.js";
import { IconButton, Segments } from "../ui/controls.js";
import { Icon, type IconName } from "../ui/icons.js";
import { type Choice, Picker } from "../ui/popup.js";

const TOOLS: readonly { readonly value: Tool; readonly icon: IconName; readonly name: string }[] = [
  { value: "select", icon: "pointer", name: "Select (V)" },
  { value: "lasso", icon: "lasso", name: "Lasso (L)" },
  { value: "link", icon: "line", name: "Link (E)" },
  { value: "pan", icon: "move", name: "Pan (H)" },
];

interface MapToolsProps {
  readonly onZoom: (factor: number) => void;
  readonly onFit: () => void;
  readonly drawer: { readonly open: boolean; readonly toggle: () => void };
}

export function MapTools({ onZoom, onFit, drawer }: MapToolsProps) {
  const { store } = useSession();
  const tool = useProject((state) => state.tool);
  return (
    <div className="bar">
      <Segments
        label="Tools"
        role="toolbar"
        value={tool}
        options={TOOLS.map(({ value, icon, name }) => ({ value, name, label: <Icon name={icon} /> }))}
        onChange={(next) => store.set({ tool: next })}
      />
      <span className="divider" />
      <ColourPicker />
      <AxesPicker />
      <span className="grow" />
      <LinkCounts />
      <span className="divider" />
      <IconButton icon="minus" label="Zoom out" look="ghost small-button" onClick={() => onZoom(1 / 1.5)} />
      <button type="button" className="button ghost small-button fit-button" onClick={onFit}>
        Fit
      </button>
      <IconButton icon="plus" label="Zoom in" look="ghost small-button" onClick={() => onZoom(1.5)} />
      <span className="drawer-button">
        <IconButton
          icon="panel"
          label="Diagnosis, method, run"
          look="small-button"
          aria-expanded={drawer.open}
          onClick={drawer.toggle}
        />
      </span>
    </div>
  );
}

export function ColourPicker() {
  const { actions } = useSession();
  const { colouring, runs, columns } = useProject((state) => ({
    colouring: state.colouring,
    runs: state.runs,
    columns: state.columns,
  }));
  const done = [...runs].filter(({ state }) => state === "done").reverse();
  const choices: Choice<string>[] = [
    ...done.map(({ number, title }, i) => ({
      value: `run ${number}`,
      label: `Run ${number}, ${title}`,
      ...(i === 0 ? { head: "Clusters" } : {}),
    })),
    ...columns
      .filter(({ kind }) => kind !== "vector")
      .map(({ name, role }, i) => ({
        value: `column ${name}`,
        label: name,
        ...(role === "truth" ? { note: "truth" } : {}),
        ...(i === 0 ? { head: "Columns" } : {}),
      })),
    { value: "nothing", label: "nothing" },
  ];
  return (
    <Picker
      name="Colour"
      label="Colour"
      value={keyOf(colouring)}
      choices={choices}
      onChange={(key) => void actions.colour(colouringOf(key))}
    />
  );
}

function keyOf(colouring: Colouring): string {
  if (colouring.by === "run") return `run ${colouring.run}`;
  return colouring.by === "column" ? `column ${colouring.column}` : "nothing";
}

function colouringOf(key: string): Colouring {
  if (key.startsWith("run ")) return { by: "run", run: Number(key.slice(4)) };
  return key.startsWith("column ") ? { by: "column", column: key.slice(7) } : { by: "nothing" };
}

function AxesPicker() {
  const { actions } = useSession();
  const { axes, columns, runs, layout, hasConstraints } = useProject((state) => ({
    axes: state.axes,
    columns: state.columns,
    runs: state.runs,
    layout: state.layout,
    hasConstraints:
      state.knowledge.constraints.length > 0 || (state.axes.space === "neighbourhoods" && state.axes.by === "knowledge"),
  }));
  const numeric = columns.filter(({ kind }) => kind === "number" || kind === "date").map(({ name }) => name);
  const run = newestDone(runs);
  const main: Choice<string>[] = [
    {
      value: "features",
      label: axes.space === "features" && layout?.space === "features" ? axesTitle(layout.title) : "PCA 1 × 2",
    },
    { value: "neighbourhoods rows", label: "Neighbourhoods" },
    ...(hasConstraints ? [{ value: "neighbourhoods knowledge", label: "Neighbourhoods by knowledge" }] : []),
    ...(run ? [{ value: `run ${run.number}`, label: `Metric of Run ${run.number}` }] : []),
  ];
  if (axes.space !== "columns") {
    const columnsChoice = numeric.length >= 2 ? [{ value: "columns", label: "Two columns" }] : [];
    const value = wordOf(axes);
    return (
      <Picker
        name="Axes"
        look="picker steady"
        label="Axes"
        value={value}
        choices={[...main, ...columnsChoice]}
        onChange={(word) => void actions.look(axesOf(word, numeric))}
      />
    );
  }
  const names = numeric.map((name) => ({ value: name, label: name }));
  const back = { value: "features", label: "PCA 1 × 2" };
  const picker = (name: string, axis: "x" | "y") => (
    <Picker
      name={name}
      label={name}
      value={axes[axis]}
      choices={[back, ...names]}
      onChange={(column) => void actions.look(column === "features" ? { space: "features" } : { ...axes, [axis]: column })}
    />
  );
  return (
    <>
      {picker("Across", "x")}
      {picker("Up", "y")}
    </>
  );
}

function axesTitle(title: string): string {
  return title === "Principal components" ? "PCA 1 × 2" : title;
}

function wordOf(axes: Axes): string {
  if (axes.space === "run") return `run ${axes.run}`;
  return axes.space === "neighbourhoods" ? `neighbourhoods ${axes.by}` : "features";
}

function axesOf(word: string, numeric: readonly string[]): Axes {
  if (word === "columns") return { space: "columns", x: numeric[0]!, y: numeric[1]! };
  if (word.startsWith("neighbourhoods "))
    return { space: "neighbourhoods", by: word.endsWith("knowledge") ? "knowledge" : "rows" };
  return word.startsWith("run ") ? { space: "run", run: Number(word.slice(4)) } : { space: "features" };
}

function LinkCounts() {
  const constraints = useProject(({ knowledge }) => knowledge.constraints);
  const counts = tallyOf(constraints).of;
  const sample = (kind: string, words: string, count: number) => (
    <span className="mark-key quiet link-count" title={words}>
      <svg width="18" height="8" aria-hidden="true">
        <path d="M0 4h18" className={`link ${kind} near`} />
      </svg>
      <span className="visually-hidden">{words}: </span>
      {count}
    </span>
  );
  return (
    <>
      {sample("must", "must-links", counts["must-link"])}
      {sample("cannot", "cannot-links", counts["cannot-link"])}
      {sample("relative", "odd one out", counts.relative)}
    </>
  );
}

/** The map beside the question: its rows in full colour, the others faded; what moved last stands out. */
import { useEffect, useMemo, useState } from "react";
import { stylesOf } from "../map/drawing/marks.js";
import { GroupKeys } from "../map/legend.js";
import { Minimap } from "../map/minimap.js";
import { namePlaces } from "../map/naming.js";
import { Links, Names, Ring } from "../map/overlay.js";
import { isEqualScale, Plot, type PlotHandle } from "../map/plot.js";
import { RowCard } from "../map/row-card.js";
import { RowTable } from "../map/row-table.js";
import { ColourPicker } from "../map/tools.js";
import { useApp, useProject, useSession } from "../page/context.js";
import { useGroups, useLinks } from "../page/shown.js";
import { TableButton, useTables } from "../page/tables.js";
import { layersOf, pathOf } from "../state/links.js";
import { idOf } from "../state/lookups.js";
import type { Layout } from "../state/model.js";
import { type Box, boundsOf, fit, type View } from "../state/view.js";
import { Button } from "../ui/controls.js";
import { Picker } from "../ui/popup.js";
import { Waiting } from "../ui/waiting.js";
import type { Plan } from "./asking.js";

export function AskMap({ plan, onPlan }: { readonly plan: Plan; readonly onPlan: (plan: Plan) => void }) {
  const layout = useProject((state) => state.layout);
  const [view, setView] = useState<View | null>(null);
  const isTable = useTables();
  return (
    <main className="stage">
      <div className="bar">
        <AboutPicker plan={plan} onPlan={onPlan} />
        <StrategyPicker plan={plan} onPlan={onPlan} />
        <ColourPicker />
        <span className="grow" />
        <span className="quiet faded-words">Other rows faded</span>
        <span className="divider" />
        <Button look="ghost small-button fit-button" onClick={() => setView(null)}>
          Fit all
        </Button>
      </div>
      {isTable ? (
        <RowTable />
      ) : layout ? (
        <QuestionMap layout={layout} view={view} onView={setView} />
      ) : (
        <Waiting>Drawing the map</Waiting>
      )}
      <div className="bar foot">
        <GroupKeys />
        <span className="grow" />
        <TableButton />
        <span className="saved-words">Every answer is saved before the next question</span>
      </div>
    </main>
  );
}

interface PlanProps {
  readonly plan: Plan;
  readonly onPlan: (plan: Plan) => void;
}

function AboutPicker({ plan, onPlan }: PlanProps) {
  const groups = useGroups();
  const clusters = groups.kind === "clusters" ? groups.groups : [];
  const choices = [
    { value: "any", label: "anything" },
    ...clusters.map(({ cluster, letter, name }) => ({ value: String(cluster), label: `${letter} ${name}`.trim() })),
  ];
  return (
    <Picker
      name="Ask about"
      look="picker steady"
      label="Ask about"
      value={plan.about === null ? "any" : String(plan.about)}
      choices={choices}
      onChange={(word) => onPlan({ ...plan, about: word === "any" ? null : Number(word) })}
    />
  );
}

function StrategyPicker({ plan, onPlan }: PlanProps) {
  const strategies = useApp(({ info }) => info?.strategies);
  const used = useProject(({ ask }) => ask?.strategy);
  if (!strategies) return null;
  return (
    <Picker
      name="Strategy"
      label="Strategy"
      value={plan.strategy ?? used ?? null}
      choices={strategies.map(({ name, title, asks }) => ({
        value: name,
        label: title,
        note: asks === "pair" ? "two rows" : "three rows",
      }))}
      onChange={(strategy) => onPlan({ ...plan, strategy })}
    />
  );
}

/** Closer than all rows, around the rows in question; all rows if they lie too far apart for that. */
function questionView(layout: Layout, rows: readonly number[], box: Box): View {
  const all = fit(boundsOf(layout.xy), box, isEqualScale(layout));
  const { minX, maxX, minY, maxY } = boundsOf(layout.xy, rows);
  const [kx, ky] = [all.kx * 1.6, all.ky * 1.6];
  if ((maxX - minX) * kx > box.width * 0.7 || (maxY - minY) * ky > box.height * 0.7) return all;
  return { x: (minX + maxX) / 2, y: (minY + maxY) / 2, kx, ky };
}

interface QuestionMapProps {
  readonly layout: Layout;
  readonly view: View | null;
  readonly onView: (view: View | null) => void;
}

function QuestionMap({ layout, view, onView }: QuestionMapProps) {
  const { store } = useSession();
  const { question, answered, hovered } = useProject(({ ask, answered: last, hovered: over }) => ({
    question: ask?.question ?? null,
    answered: last,
    hovered: over,
  }));
  const groups = useGroups();
  const { links, known } = useLinks();
  const rows = useMemo(() => (question?.rows ?? []).filter((row) => row < layout.n), [question, layout]);
  const moved = useMemo(() => (answered?.moved ?? []).filter(({ row }) => row < layout.n).slice(0, 200), [answered, layout]);
  const near = useMemo(() => links.filter(({ a, b }) => rows.includes(a) || rows.includes(b)), [links, rows]);
  const strong = useMemo(
    () => new Set([...rows, ...moved.map(({ row }) => row), ...near.flatMap(({ a, b }) => [a, b])]),
    [rows, moved, near],
  );
  const styles = useMemo(
    () =>
      stylesOf(groups, {
        known: new Set([...known].filter((row) => strong.has(row))),
        strong: rows.length > 0 ? strong : undefined,
      }),
    [groups, known, strong, rows],
  );
  const layers = useMemo(() => layersOf(near, new Set(rows)), [near, rows]);
  const places = useMemo(() => namePlaces(groups, layout.xy), [groups, layout.xy]);
  const [box, setBox] = useState<Box | null>(null);
  useEffect(() => {
    if (box && rows.length > 0) onView(questionView(layout, rows, box));
  }, [box, rows, layout, onView]);
  const overlay = (window: PlotHandle) => (
    <>
      <BoxReader box={window.box} onBox={setBox} />
      <Links layers={layers} layout={layout} {...window} />
      {moved.slice(0, 30).map(({ row }, i) => {
        const text = i < 5 && !rows.includes(row) ? { text: `${idOf(store.get(), row)} moved` } : {};
        return (
          <Ring
            key={row}
            row={row}
            slot={groups.slots[row] ?? -1}
            kind="cursor"
            side="start"
            layout={layout}
            {...text}
            {...window}
          />
        );
      })}
      {rows.length >= 2 && (
        <path
          className="link asked"
          d={pathOf(
            rows.slice(1).map((b) => ({ a: rows[0]!, b })),
            layout.xy,
            window.view,
            window.box,
          )}
        />
      )}
      {rows.map((row, i) => (
        <Ring
          key={row}
          row={row}
          slot={groups.slots[row] ?? -1}
          side={i === 0 ? "start" : "end"}
          text={String(idOf(store.get(), row))}
          layout={layout}
          {...window}
        />
      ))}
      <Names groups={groups} places={places} view={window.view} box={window.box} />
    </>
  );
  return (
    <div className="map-area">
      <Plot
        layout={layout}
        groups={groups}
        styles={styles}
        label={`Map of ${layout.n} rows with the rows of the question`}
        view={view}
        onView={onView}
        pointer={{ tool: "pan", onHover: (row) => store.set({ hovered: row }) }}
        floating={(window) => (
          <>
            <Minimap layout={layout} groups={groups} window={window} rows={rows} />
            {hovered !== null && <RowCard row={hovered} window={window} layout={layout} />}
          </>
        )}
      >
        {overlay}
      </Plot>
    </div>
  );
}

/** Tells the size of the map to whoever needs it for the next view. */
function BoxReader({ box, onBox }: { readonly box: Box; readonly onBox: (box: Box) => void }) {
  useEffect(() => onBox(box), [box, onBox]);
  return null;
}

/** The panel that chooses a method and its options. The recommended method comes first in the list; each method has a summary. */

import type { OptionProperty } from "@coterie/core/internal";
import { counted, formatCount, formatFixed } from "@coterie/figures/layout";
import { type AdviceReply, type Info, type Standing, tallyOf, usedOf } from "@coterie/workbench/protocol";
import { useId, useMemo, useRef, useState } from "react";
import { useApp, useProject, useSession } from "../page/context.js";
import { sentenceOf } from "../state/knowledge.js";
import { rowsOf } from "../state/lookups.js";
import type { MethodChoice, ProjectState } from "../state/model.js";
import { Button, LinkButton, Meter, Segments, Stepper } from "../ui/controls.js";
import { capital } from "../ui/format.js";
import { Icon } from "../ui/icons.js";
import { Picker, Popup } from "../ui/popup.js";

const TITLES: Readonly<Record<string, string>> = {
  k: "Clusters",
  metrics: "Metric",
  matrix: "Metric type",
  costs: "Penalty",
  init: "Initialisation",
  maxIterations: "Maximum iterations",
  gamma: "Weight of answers",
  minLeaf: "Minimum leaf size",
  maxLeaves: "Maximum leaves",
  linkage: "Linkage",
  stopBeforeViolation: "Stop before breaking an answer",
  learnedMetric: "Learned metric",
  keep: "Kept restart",
};

const LABELS: Readonly<Record<string, string>> = {
  "metrics single": "One for all",
  "metrics multiple": "One per cluster",
  "costs relative": "Relative",
  "costs unit": "1 for each",
  "labelRule linked": "Linked",
  "labelRule any": "Any",
};

const FIRST = new Set(["k", "metrics", "costs", "gamma", "linkage", "distance"]);

const SIGNS: readonly (readonly [keyof Method["treats"], string])[] = [
  ["mustLink", "="],
  ["cannotLink", "≠"],
  ["relative", "ab|c"],
  ["labels", "label"],
];

type Method = Info["methods"][number];

/** Returns the method that the user chose. If there is none, returns the recommended method, or the first method of the list. */
function choiceOf(
  { method, diagnosis, project }: Pick<ProjectState, "method" | "diagnosis" | "project">,
  recommended: Recommended | null,
  methods: readonly Method[],
): MethodChoice | null {
  const algorithm = method?.algorithm ?? recommended?.algorithm ?? methods[0]?.name;
  if (algorithm === undefined) return null;
  const known = methods.find(({ name }) => name === algorithm);
  const { k: _, ...options } = method?.options ?? {};
  const common = { algorithm, seed: method?.seed ?? 0, price: method?.price };
  if (known && !takesK(known)) return { ...common, options, choose: undefined };
  return { ...common, options: { ...options, k: kOf({ method, diagnosis, project }) }, choose: method?.choose };
}

/** Whether the number of clusters is an option of the method. */
function takesK({ options }: Pick<Method, "options">): boolean {
  return "k" in ((options as { readonly properties?: object }).properties ?? {});
}

function kOf({ method, diagnosis, project }: Pick<ProjectState, "method" | "diagnosis" | "project">): number {
  const first = Math.min(Math.max(3, diagnosis?.leastK ?? 3), project.rows);
  return Math.max(1, Number(method?.options.k ?? project.k ?? first));
}

interface Recommended {
  readonly algorithm: string;
  readonly because: string;
}

export function useMethod() {
  const { store, actions } = useSession();
  const methods = useApp(({ info }) => info?.methods ?? NONE);
  const parts = useProject(({ method, diagnosis, project }) => ({ method, diagnosis, project }));
  const tried = useFreshAdvice(kOf(parts))?.advised;
  // A recommendation from held-out answers has priority over a recommendation from general rules.
  const recommended: Recommended | null = tried?.by === "held-out constraints" ? tried : (parts.diagnosis?.recommended ?? null);
  const choice = choiceOf(parts, recommended, methods);
  const set = (change: Partial<MethodChoice>) => {
    if (choice) store.set({ method: { ...choice, ...change } });
    const k = change.options?.k;
    if (typeof k === "number" && k !== parts.project.k) void actions.change({ k });
  };
  const known = methods.find(({ name }) => name === choice?.algorithm) ?? null;
  return { methods, choice, method: known, set, recommended };
}

const NONE: readonly Method[] = [];

export function MethodPanel() {
  const { methods, choice, method, set, recommended } = useMethod();
  const constraints = useProject(({ knowledge }) => knowledge.constraints);
  if (!choice || !method) return null;
  const { k } = choice.options;
  const onChoose = (algorithm: string) => set({ algorithm, options: k === undefined ? {} : { k } });
  const choosing = { methods, chosen: method, constraints, onChoose };
  return (
    <section aria-label="Method">
      <div className="section-head">
        <h2 className="grow">Method</h2>
        <span className="note">{constraints.length === 0 ? "" : usesWords(method, constraints)}</span>
      </div>
      <div className="pad method-field">
        <MethodMenu {...choosing} recommended={recommended?.algorithm ?? null} />
      </div>
      <p className="help">
        {capital(method.summary)}.{recommended?.algorithm === method.name && ` Recommended: ${recommended.because}`}
        <Unused {...choosing} />
      </p>
      <MethodAdvice {...choosing} k={choice.choose || k === undefined ? undefined : Number(k)} />
      <Options key={method.name} method={method} choice={choice} onChange={set} />
    </section>
  );
}

function Unused({ chosen, constraints, methods, onChoose }: Omit<MethodMenuProps, "recommended">) {
  const { relative } = tallyOf(constraints).of;
  if (relative === 0 || chosen.treats.relative !== "ignored") return null;
  const able =
    methods.find(({ treats }) => treats.relative === "hard") ?? methods.find(({ treats }) => treats.relative !== "ignored");
  if (!able) return null;
  return (
    <>
      {" "}
      {relative === 1 ? "Only some methods use the ab|c answer:" : `Only some methods use the ${relative} ab|c answers:`}{" "}
      <LinkButton onClick={() => onChoose(able.name)}>use {able.title}</LinkButton>.
    </>
  );
}

interface MethodMenuProps {
  readonly methods: readonly Method[];
  readonly chosen: Method;
  readonly constraints: readonly Standing[];
  readonly recommended: string | null;
  readonly onChoose: (name: string) => void;
}

function MethodMenu({ methods, chosen, constraints, recommended, onChoose }: MethodMenuProps) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const ordered = useMemo(
    () => [...methods].sort((a, b) => Number(b.name === recommended) - Number(a.name === recommended)),
    [methods, recommended],
  );
  const counting = constraints.filter(({ counts }) => counts);
  return (
    <>
      <button
        ref={button}
        type="button"
        className="field"
        aria-haspopup="listbox"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <b>{chosen.title}</b>
        <Icon name="down" />
      </button>
      {open && (
        <Popup anchor={button.current!} role="listbox" label="Method" className="method-menu" onClose={() => setOpen(false)}>
          <div className="method-head" role="presentation">
            <span>Method</span>
            <span className="num">Uses</span>
            <span className="num">Of {tallyOf(constraints).all}</span>
          </div>
          {ordered.map((method) => (
            <button
              key={method.name}
              type="button"
              role="option"
              tabIndex={-1}
              aria-selected={method === chosen}
              className="method-item"
              onClick={() => {
                setOpen(false);
                button.current?.focus();
                onChoose(method.name);
              }}
            >
              <span>
                <b>{method.title}</b>
                {method.name === recommended && <span className="good"> recommended</span>}
                <br />
                <span className="quiet">{capital(method.summary)}.</span>
              </span>
              <span className="num quiet">{usesSigns(method)}</span>
              <span className="num">{usedOf(method.treats, counting)}</span>
            </button>
          ))}
        </Popup>
      )}
    </>
  );
}

interface OptionsProps {
  readonly method: Method;
  readonly choice: MethodChoice;
  readonly onChange: (change: Partial<MethodChoice>) => void;
}

function Options({ method, choice, onChange }: OptionsProps) {
  const fields = useMemo(() => fieldsOf(method.options), [method]);
  const [more, setMore] = useState(false);
  const least = useProject(({ diagnosis }) => diagnosis?.leastK ?? null);
  const change = (field: OptionField) => (value: unknown) => {
    const { [field.name]: _, ...rest } = choice.options;
    onChange({ options: value === undefined ? rest : { ...rest, [field.name]: value } });
  };
  const first = fields.filter((field) => field.first);
  const rest = fields.filter((field) => !field.first);
  return (
    <div className="form">
      {first.map((field) =>
        field.name === "k" ? (
          <Clusters key="k" choice={choice} least={least} onK={change(field)} onChoose={(choose) => onChange({ choose })} />
        ) : (
          <Option key={field.name} field={field} value={choice.options[field.name]} onChange={change(field)} />
        ),
      )}
      {(method.treats.mustLink === "soft" || method.treats.cannotLink === "soft") && (
        <Price price={choice.price ?? 1} onPrice={(price) => onChange({ price })} />
      )}
      <span className="form-label">More</span>
      <span className="row">
        <span className="cut grow">{summaryOf(fields, choice.options, choice.seed)}</span>
        <LinkButton aria-expanded={more} onClick={() => setMore(!more)}>
          {more ? "Close" : "Edit"}
        </LinkButton>
      </span>
      {more && (
        <>
          <label htmlFor="seed">Seed</label>
          <span>
            <Stepper id="seed" label="Seed" value={choice.seed} min={0} onChange={(seed) => onChange({ seed })} />
          </span>
          {rest.map((field) => (
            <Option key={field.name} field={field} help value={choice.options[field.name]} onChange={change(field)} />
          ))}
        </>
      )}
    </div>
  );
}

/** A slider for the factor by which the weights of all answers are multiplied, from 1/100 to 100 on a logarithmic scale. */
function Price({ price, onPrice }: { readonly price: number; readonly onPrice: (price: number) => void }) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>Penalty factor</label>
      <span className="row">
        <input
          id={id}
          type="range"
          className="slider"
          title="Multiplies the weights of all your answers: 1/100 to 100, default 1. With a larger factor, fewer answers are broken."
          min="-2"
          max="2"
          step="0.1"
          value={Math.log10(price)}
          aria-valuetext={priceWords(price)}
          onChange={(event) => onPrice(Number((10 ** Number(event.target.value)).toPrecision(3)))}
        />
        <output htmlFor={id} className="num">
          {priceWords(price)}
        </output>
      </span>
    </>
  );
}

function priceWords(price: number): string {
  return price >= 10 ? price.toFixed(0) : price.toFixed(2);
}

interface ClustersProps {
  readonly choice: MethodChoice;
  readonly least: number | null;
  readonly onK: (value: unknown) => void;
  readonly onChoose: (choose: MethodChoice["choose"]) => void;
}

/** The field for the number of clusters: a fixed number, or a range from which the best number is chosen. */
function Clusters({ choice, least, onK, onChoose }: ClustersProps) {
  const k = Number(choice.options.k);
  const { choose } = choice;
  if (choose) return <Range range={choose} onChoose={onChoose} />;
  const isOut = least !== null && k < least;
  const from = Math.max(2, least ?? 2);
  return (
    <>
      <label htmlFor="clusters">Clusters</label>
      <span className="row wrap">
        <Stepper id="clusters" label="Clusters" value={k} min={1} onChange={onK} />
        {least !== null && least > 2 && (
          <span className={isOut ? "bad" : "meta"}>{isOut ? `${k} is ruled out` : `${least - 1} is ruled out`}</span>
        )}
        <LinkButton title="Run with each number of a range and use the best" onClick={() => onChoose({ from, to: from + 6 })}>
          Try a range
        </LinkButton>
      </span>
    </>
  );
}

function Range({
  range: { from, to },
  onChoose,
}: {
  readonly range: NonNullable<MethodChoice["choose"]>;
  readonly onChoose: ClustersProps["onChoose"];
}) {
  return (
    <>
      <span className="form-label">Clusters</span>
      <span className="row wrap">
        <Stepper label="Clusters from" value={from} min={1} max={to} onChange={(next) => onChoose({ from: next, to })} />
        to
        <Stepper label="Clusters to" value={to} min={from} max={1000} onChange={(next) => onChoose({ from, to: next })} />
        <LinkButton onClick={() => onChoose(undefined)}>Use one number</LinkButton>
      </span>
      <span className="form-help">
        Runs the method with each number of clusters. Held-out answers choose the best number; with few answers, the silhouette
        chooses.
      </span>
    </>
  );
}

/* Describes which kinds of answers a method uses, in words and in signs. */

/** How many of the answers a method uses, such as "uses 5 of 6 answers". */
export function usesWords({ treats }: Pick<Method, "treats">, constraints: readonly Standing[]): string {
  const used = usedOf(
    treats,
    constraints.filter(({ counts }) => counts),
  );
  return `uses ${used} of ${counted(tallyOf(constraints).all, "answer")}`;
}

/** The signs of the kinds of answers that a method uses, such as "= ≠ label". */
export function usesSigns({ treats }: Pick<Method, "treats">): string {
  return SIGNS.filter(([kind]) => treats[kind] !== "ignored")
    .map(([, sign]) => sign)
    .join(" ");
}

/* Makes a form from the schema of a method's options: each option becomes a field with a title, a help text and bounds. */

type FieldKind = "choice" | "switch" | "whole" | "number" | "share" | "text" | "list";

export interface OptionField {
  readonly name: string;
  readonly title: string;
  readonly help: string;
  readonly kind: FieldKind;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly preset: unknown;
  /** True if the field is always visible; all other fields are under "More". */
  readonly first: boolean;
}

export function fieldsOf(schema: Readonly<Record<string, unknown>>): readonly OptionField[] {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, OptionProperty>>;
  return Object.entries(properties).flatMap(([name, property]) => fieldOf(name, property) ?? []);
}

function fieldOf(name: string, property: OptionProperty): OptionField | null {
  const choices = property.enum ?? property.anyOf?.find((kind) => kind.enum)?.enum ?? [];
  const kind = kindOf(property, choices);
  if (kind === null) return null;
  return {
    name,
    title: TITLES[name] ?? titleOf(name),
    help: capital(property.description ?? ""),
    kind,
    choices: choices.map((value) => ({ value, label: LABELS[`${name} ${value}`] ?? value })),
    min: property.minimum ?? (property.exclusiveMinimum === undefined ? undefined : property.exclusiveMinimum),
    max: bounded(property.maximum ?? property.exclusiveMaximum),
    preset: property.default,
    first: FIRST.has(name),
  };
}

function kindOf(property: OptionProperty, choices: readonly string[]): FieldKind | null {
  if (choices.length > 0) return "choice";
  if (property.type === "boolean") return "switch";
  if (property.type === "integer") return "whole";
  if (property.type === "number")
    return property.minimum === 0 && bounded(property.maximum ?? property.exclusiveMaximum) === 1 ? "share" : "number";
  if (property.type === "array" || property.anyOf?.some(({ type }) => type === "array")) return "list";
  return property.type === "string" || property.anyOf ? "text" : null;
}

function bounded(limit: number | undefined): number | undefined {
  return limit === undefined || limit >= Number.MAX_SAFE_INTEGER ? undefined : limit;
}

/** The title of the field of an option: "maxIterations" becomes "Max iterations". */
export function titleOf(name: string): string {
  return capital(name.replaceAll(/([A-Z])/g, " $1").toLowerCase());
}

/** The options whose values differ from their defaults, as text: "10 restarts, seed 0, metric type diagonal". */
export function summaryOf(fields: readonly OptionField[], options: Readonly<Record<string, unknown>>, seed: number): string {
  const parts: string[] = [];
  for (const field of fields) {
    if (field.first) continue;
    const value = options[field.name] ?? field.preset;
    if (field.name === "restarts" && typeof value === "number") parts.push(`${value} ${value === 1 ? "restart" : "restarts"}`);
    else if (options[field.name] !== undefined && options[field.name] !== field.preset)
      parts.push(`${field.title.toLowerCase()} ${String(value)}`);
  }
  return [...parts, `seed ${seed}`].join(", ");
}

/** Converts the text of a field to the value of its option. Undefined if the field is empty: then the option has its default. */
export function valueFrom({ kind }: Pick<OptionField, "kind">, text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  if (kind === "whole" || kind === "number" || kind === "share")
    return Number.isFinite(Number(trimmed)) ? Number(trimmed) : undefined;
  if (kind === "list") return trimmed.split(",").map((part) => part.trim());
  return trimmed;
}

interface OptionProps {
  readonly field: OptionField;
  readonly value: unknown;
  readonly help?: boolean;
  readonly onChange: (value: unknown) => void;
}

function Option({ field, value, help = false, onChange }: OptionProps) {
  const id = useId();
  return (
    <>
      {field.kind === "choice" ? <span className="form-label">{field.title}</span> : <label htmlFor={id}>{field.title}</label>}
      <Control id={id} field={field} value={value ?? field.preset} onChange={onChange} />
      {help && field.help !== "" && <span className="form-help">{field.help}</span>}
    </>
  );
}

interface ControlProps extends OptionProps {
  readonly id: string;
}

function Control({ id, field, value, onChange }: ControlProps) {
  const { kind, title, min, max, choices } = field;
  if (kind === "choice") return <Choices field={field} value={value} onChange={onChange} />;
  if (kind === "switch")
    return (
      <input
        id={id}
        type="checkbox"
        className="check"
        title={field.help}
        checked={value === true}
        onChange={() => onChange(value !== true)}
      />
    );
  if (kind === "whole" && typeof value === "number")
    return (
      <span>
        <Stepper id={id} label={title} value={value} min={min} max={max} onChange={onChange} />
      </span>
    );
  if (kind === "share" && typeof value === "number")
    return (
      <span className="row">
        <input
          id={id}
          type="range"
          className="slider"
          title={field.help}
          min="0"
          max="1"
          step="0.01"
          value={value}
          onChange={(event) => onChange(Number(event.target.value))}
        />
        <output htmlFor={id} className="num">
          {value.toFixed(2)}
        </output>
      </span>
    );
  const isNumber = kind === "number" || kind === "whole" || kind === "share";
  return (
    <input
      id={id}
      className="field"
      title={field.help}
      type={isNumber ? "number" : "text"}
      step={kind === "whole" ? 1 : "any"}
      min={min}
      max={max}
      placeholder={choices.length === 0 ? "default" : undefined}
      defaultValue={Array.isArray(value) ? value.join(", ") : value === undefined ? "" : String(value)}
      onBlur={(event) => onChange(valueFrom(field, event.target.value))}
    />
  );
}

function Choices({ field, value, onChange }: Omit<OptionProps, "help">) {
  const { title, choices, preset } = field;
  const length = choices.reduce((sum, { label }) => sum + label.length + 3, 0);
  if (preset !== undefined && choices.length <= 3 && length <= 32)
    return (
      <span title={field.help}>
        <Segments label={title} value={String(value)} options={choices} onChange={onChange} />
      </span>
    );
  const open = preset === undefined ? [{ value: "", label: "Default" }, ...choices] : choices;
  return (
    <span title={field.help}>
      <Picker
        label={title}
        look="field"
        value={String(value ?? "")}
        choices={open}
        onChange={(next) => onChange(next === "" ? undefined : next)}
      />
    </span>
  );
}

/* Compares methods: each method runs while some answers are held out, and its clusters are scored by the held-out answers. */

type Advised = NonNullable<AdviceReply["advised"]>;

/** With fewer answers, methods cannot be compared: too few answers could be held out. */
const ENOUGH = 5;

function useFreshAdvice(k: number | undefined): AdviceReply | null {
  const { advice, knowledge } = useProject(({ advice, knowledge }) => ({ advice, knowledge }));
  return advice && advice.upTo === knowledge.upTo && advice.k === k ? advice : null;
}

interface MethodAdviceProps extends Omit<MethodMenuProps, "recommended"> {
  readonly k: number | undefined;
}

function MethodAdvice({ methods, chosen, constraints, k, onChoose }: MethodAdviceProps) {
  const { actions } = useSession();
  const advice = useFreshAdvice(k);
  const titleOf = (name: string) => methods.find((method) => method.name === name)?.title ?? name;
  const { of } = tallyOf(constraints);
  const isEnough = of["must-link"] + of["cannot-link"] + of.label >= ENOUGH;
  if (k === undefined || (!isEnough && !advice)) return null;
  if (advice?.state === "running") return <Trying advice={advice} onStop={() => void actions.stopAdvice()} />;
  if (advice?.state === "done" && advice.advised && advice.advised.tried.length > 0)
    return (
      <>
        <Scores advised={advice.advised} chosen={chosen.name} titleOf={titleOf} onChoose={onChoose} />
        <Suspects suspects={advice.advised.suspects} />
      </>
    );
  return (
    <p className="help">
      {advice?.state === "failed" && <span className="bad">{advice.problem} </span>}
      {advice?.state === "done" && "There are too few answers: some must be held out to score the methods. "}
      {advice?.state === "cancelled" && "The trial was stopped. "}
      <LinkButton
        title="Each method runs five times without a fifth of your answers, and is scored by that fifth"
        onClick={() => void actions.advise(k)}
      >
        Compare methods on held-out answers
      </LinkButton>
    </p>
  );
}

function Trying({ advice: { progress }, onStop }: { readonly advice: AdviceReply; readonly onStop: () => void }) {
  const share = progress?.total ? progress.done / progress.total : 0;
  const words = progress?.total
    ? `${progress.phase}, ${formatCount(progress.done)} of ${formatCount(progress.total)}`
    : "starting";
  return (
    <div className="pad progress">
      <span className="cut quiet" title={words}>
        {words}
      </span>
      <Button look="ghost small-button" onClick={onStop}>
        Stop
      </Button>
      <Meter share={share} active label={`Methods tried: ${Math.round(share * 100)}%`} />
    </div>
  );
}

/** Texts for recommended scales that differ from the scale of the table. */
const SCALES: Readonly<Record<string, string>> = { none: "without scaling", zscore: "with z-scores" };

interface ScoresProps {
  readonly advised: Advised;
  readonly chosen: string;
  readonly titleOf: (name: string) => string;
  readonly onChoose: (name: string) => void;
}

/** A table of methods with their agreement with held-out answers, best method first. A click on a method chooses it. */
function Scores({ advised: { algorithm, scale: bestScale, tried, leftOut, held }, chosen, titleOf, onChoose }: ScoresProps) {
  const rows = [...tried].sort((a, b) => (b.score ?? -2) - (a.score ?? -2));
  return (
    <table className="tried-methods" aria-label="Methods on held-out answers">
      <thead>
        <tr>
          <th scope="col">Method</th>
          <th
            scope="col"
            className="num"
            title={`Agreement with ${formatCount(held)} held-out answers: 1 keeps all, 0 is chance level`}
          >
            Score
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ algorithm: name, scale, score: value, error, failure }) => (
          <tr key={`${name} ${scale}`} className={name === chosen ? "picked" : ""}>
            <td>
              <LinkButton aria-pressed={name === chosen} onClick={() => onChoose(name)}>
                {titleOf(name)}
              </LinkButton>
              {scale !== "given" && <span className="quiet"> {SCALES[scale] ?? scale}</span>}
              {name === algorithm && scale === bestScale && <span className="good"> recommended</span>}
            </td>
            {failure === null ? (
              <td className="num">
                {formatFixed(value ?? 0, 2)} <span className="quiet">± {formatFixed(error ?? 0, 2)}</span>
              </td>
            ) : (
              <td className="num quiet cut" title={failure}>
                failed
              </td>
            )}
          </tr>
        ))}
        {leftOut.map(({ algorithm: name, seconds }) => (
          <tr key={name}>
            <td>{titleOf(name)}</td>
            <td className="num quiet cut" title={`Its runs take about ${Math.ceil(seconds / 60)} min`}>
              skipped: too slow
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const MOST_SUSPECTS = 8;

function Suspects({ suspects }: Pick<ScoresProps["advised"], "suspects">) {
  const { actions, store } = useSession();
  if (suspects.length === 0) return null;
  const show = ({ type, a, b }: (typeof suspects)[number]["constraint"]) => {
    const [from, to] = rowsOf(store.get(), [a, b]);
    const links = [{ a: from!, b: to!, kind: type === "must-link" ? ("must" as const) : ("broken" as const) }];
    actions.light({ title: sentenceOf({ type, a, b }), rows: [from!, to!], links });
  };
  return (
    <>
      <p className="help">Check these answers, which other answers contradict:</p>
      <ul className="suspects" aria-label="Suspect answers">
        {suspects.slice(0, MOST_SUSPECTS).map(({ constraint, probability }) => (
          <li key={sentenceOf(constraint)} className="row">
            <LinkButton onClick={() => show(constraint)}>{sentenceOf(constraint)}</LinkButton>
            <span className="num quiet grow">{Math.round(100 * probability)}% likely wrong</span>
          </li>
        ))}
      </ul>
      {suspects.length > MOST_SUSPECTS && <p className="help">and {counted(suspects.length - MOST_SUSPECTS, "more answer")}</p>}
    </>
  );
}

/** One option of a method as a control. */
import { useId } from "react";
import { Segments, Stepper } from "../ui/controls.js";
import { Picker } from "../ui/popup.js";
import { type OptionField, valueFrom } from "./forms.js";

interface OptionProps {
  readonly field: OptionField;
  readonly value: unknown;
  readonly help?: boolean;
  readonly onChange: (value: unknown) => void;
}

export function Option({ field, value, help = false, onChange }: OptionProps) {
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
      placeholder={choices.length === 0 ? "as the method has it" : undefined}
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
  const open = preset === undefined ? [{ value: "", label: "as fits the columns" }, ...choices] : choices;
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

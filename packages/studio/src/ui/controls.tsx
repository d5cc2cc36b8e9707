/** Buttons, segments, steppers, meters: small controls, with the roles and names that assistive technology needs. */
import type { ButtonHTMLAttributes, ReactNode, RefObject } from "react";
import { Icon, type IconName } from "./icons.js";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: string;
  readonly cap?: string;
  readonly children?: ReactNode;
}

export function Button({ look = "", cap, children, ...rest }: ButtonProps) {
  return (
    <button type="button" {...rest} className={`button ${look}`}>
      {children}
      {cap !== undefined && <Cap>{cap}</Cap>}
    </button>
  );
}

export function Cap({ children }: { readonly children: ReactNode }) {
  return <kbd className="key-cap">{children}</kbd>;
}

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "children"> {
  readonly icon: IconName;
  readonly label: string;
  readonly look?: string;
}

export function IconButton({ icon, label, look = "ghost", ...rest }: IconButtonProps) {
  return (
    <button type="button" title={label} {...rest} aria-label={label} className={`button only-icon ${look}`}>
      <Icon name={icon} />
    </button>
  );
}

export function LinkButton({ children, ...rest }: ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <button type="button" {...rest} className={`link-button ${rest.className ?? ""}`}>
      {children}
    </button>
  );
}

interface SegmentsProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: ReactNode; readonly name?: string }[];
  readonly onChange: (value: Value) => void;
  readonly wide?: boolean;
  readonly role?: "group" | "toolbar";
}

export function Segments<Value extends string>({ label, value, options, onChange, wide, role = "group" }: SegmentsProps<Value>) {
  return (
    <span className={`segments ${wide ? "wide" : ""}`} role={role} aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          aria-label={option.name}
          title={option.name}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </span>
  );
}

interface StepperProps {
  readonly id?: string;
  readonly label: string;
  readonly value: number;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly onChange: (value: number) => void;
}

export function Stepper({
  id,
  label,
  value,
  min = Number.MIN_SAFE_INTEGER,
  max = Number.MAX_SAFE_INTEGER,
  onChange,
}: StepperProps) {
  const set = (next: number) => {
    if (Number.isInteger(next)) onChange(Math.min(max, Math.max(min, next)));
  };
  return (
    <span className="stepper">
      <button type="button" aria-label={`Fewer: ${label}`} tabIndex={-1} disabled={value <= min} onClick={() => set(value - 1)}>
        −
      </button>
      <input
        id={id}
        type="number"
        aria-label={label}
        value={value}
        min={min === Number.MIN_SAFE_INTEGER ? undefined : min}
        max={max === Number.MAX_SAFE_INTEGER ? undefined : max}
        onChange={(event) => event.target.value !== "" && set(Number(event.target.value))}
      />
      <button type="button" aria-label={`More: ${label}`} tabIndex={-1} disabled={value >= max} onClick={() => set(value + 1)}>
        +
      </button>
    </span>
  );
}

export function Meter({
  share,
  active = false,
  label,
}: {
  readonly share: number;
  readonly active?: boolean;
  readonly label?: string;
}) {
  const width = `${Math.round(Math.min(1, Math.max(0, share)) * 1000) / 10}%`;
  return (
    <span className={`meter ${active ? "active" : ""}`} role={label ? "img" : undefined} aria-label={label}>
      <i style={{ width }} />
    </span>
  );
}

/** Shows a large number: its digits, or digits times a power of ten. */
export function Power({ parts }: { readonly parts: { readonly digits: string; readonly exponent: number | null } }) {
  if (parts.exponent === null) return <>{parts.digits}</>;
  return (
    <>
      {parts.digits} × 10<sup>{parts.exponent}</sup>
    </>
  );
}

interface FileInputProps {
  readonly label: string;
  readonly input: RefObject<HTMLInputElement | null>;
  readonly multiple?: boolean;
  readonly onFiles: (files: readonly File[]) => void;
}

/** A visually hidden field for files. A visible button elsewhere on the page opens its file dialog. */
export function FileInput({ label, input, multiple, onFiles }: FileInputProps) {
  return (
    <input
      ref={input}
      className="visually-hidden"
      type="file"
      multiple={multiple}
      tabIndex={-1}
      aria-label={label}
      onChange={(event) => {
        onFiles([...(event.target.files ?? [])]);
        event.target.value = "";
      }}
    />
  );
}

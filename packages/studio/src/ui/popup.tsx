/** Menus and lists that open under a button, with the usual keys. */
import {
  createContext,
  type KeyboardEvent,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { createPortal } from "react-dom";
import { Icon } from "./icons.js";

interface PopupProps {
  readonly anchor: HTMLElement;
  readonly role: "menu" | "listbox" | "dialog";
  readonly label: string;
  readonly id?: string;
  readonly className?: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function Popup({ anchor, role, label, id, className = "", onClose, children }: PopupProps) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place(box.current!, anchor), [anchor]);
  useEffect(() => {
    const first = box.current!.querySelector<HTMLElement>('[aria-selected="true"], .active') ?? itemsOf(box.current!)[0];
    first?.focus();
    const onDown = (event: PointerEvent) => {
      const target = event.target as Node;
      if (!box.current?.contains(target) && !anchor.contains(target)) onClose();
    };
    addEventListener("pointerdown", onDown, true);
    addEventListener("resize", onClose);
    return () => {
      removeEventListener("pointerdown", onDown, true);
      removeEventListener("resize", onClose);
    };
  }, [anchor, onClose]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      event.stopPropagation();
      onClose();
      anchor.focus();
    } else walk(event, box.current!);
  };
  return createPortal(
    <div ref={box} id={id} role={role} aria-label={label} className={`menu floating ${className}`} onKeyDown={onKeyDown}>
      {children}
    </div>,
    document.body,
  );
}

function itemsOf(box: HTMLElement): HTMLElement[] {
  return [...box.querySelectorAll<HTMLElement>("[role=menuitem], [role=option], [role=menuitemcheckbox], button, input")].filter(
    (item) => !(item as HTMLButtonElement).disabled,
  );
}

function place(box: HTMLElement, anchor: HTMLElement): void {
  const at = anchor.getBoundingClientRect();
  const { width, height } = box.getBoundingClientRect();
  const isBelow = at.bottom + 4 + height <= innerHeight - 8 || at.top < height + 12;
  const left = Math.max(8, Math.min(at.left, innerWidth - width - 8));
  const top = isBelow ? Math.min(at.bottom + 4, Math.max(8, innerHeight - height - 8)) : at.top - 4 - height;
  box.style.setProperty("left", `${left}px`);
  box.style.setProperty("top", `${top}px`);
  box.style.setProperty("min-width", `${Math.min(at.width, 440)}px`);
}

function walk(event: KeyboardEvent, box: HTMLElement): void {
  const items = itemsOf(box);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const next = nextItem(event.key, items, at);
  if (next === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  next.focus();
}

function nextItem(key: string, items: readonly HTMLElement[], at: number): HTMLElement | undefined {
  if (key === "ArrowDown") return items[(at + 1) % items.length];
  if (key === "ArrowUp") return items[(at - 1 + items.length) % items.length];
  if (document.activeElement instanceof HTMLInputElement) return undefined;
  if (key === "Home") return items[0];
  if (key === "End") return items.at(-1);
  if (key.length !== 1 || key === " ") return undefined;
  const wanted = key.toLowerCase();
  const later = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  return later.find((item) => item.textContent.trim().toLowerCase().startsWith(wanted));
}

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly note?: string;
  readonly head?: string;
}

interface PickerProps<Value extends string> {
  /** The name of the choice, such as "Colour". It is shown in grey before the chosen value, and is part of the button's accessible name. */
  readonly name?: string;
  readonly label: string;
  readonly value: Value | null;
  readonly empty?: string;
  readonly choices: readonly Choice<Value>[];
  readonly look?: "picker" | "picker steady" | "field";
  readonly id?: string;
  readonly onChange: (value: Value) => void;
}

export function Picker<Value extends string>(props: PickerProps<Value>) {
  const { name, label, value, empty = "", choices, look = "picker", id, onChange } = props;
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const list = useId();
  const chosen = choices.find((choice) => choice.value === value);
  return (
    <>
      <button
        ref={button}
        id={id}
        type="button"
        className={look}
        aria-haspopup="listbox"
        aria-expanded={open}
        aria-controls={open ? list : undefined}
        onClick={() => setOpen(!open)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown") return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        {name !== undefined && <span className="picker-name">{name}</span>} <span className="cut">{chosen?.label ?? empty}</span>{" "}
        <Icon name="down" />
      </button>
      {open && (
        <Popup anchor={button.current!} role="listbox" label={label} id={list} onClose={() => setOpen(false)}>
          {choices.map((choice) => (
            <PickerOption
              key={choice.value}
              choice={choice}
              chosen={choice.value === value}
              onPick={() => {
                setOpen(false);
                button.current?.focus();
                onChange(choice.value);
              }}
            />
          ))}
        </Popup>
      )}
    </>
  );
}

function PickerOption({ choice, chosen, onPick }: { choice: Choice<string>; chosen: boolean; onPick: () => void }) {
  return (
    <>
      {choice.head !== undefined && (
        <div className="menu-head" role="presentation">
          {choice.head}
        </div>
      )}
      <button type="button" role="option" tabIndex={-1} aria-selected={chosen} className="menu-item" onClick={onPick}>
        <span className="cut">{choice.label}</span>
        {choice.note !== undefined && <span className="meta">{choice.note}</span>}
      </button>
    </>
  );
}

interface MenuButtonProps {
  readonly label: string;
  readonly className: string;
  readonly content: ReactNode;
  readonly name?: string;
  readonly menuClass?: string;
  readonly children: ReactNode;
}

const CloseMenu = createContext(() => {});

export function MenuButton({ label, className, content, name, menuClass, children }: MenuButtonProps) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        aria-label={name}
        title={name}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {content}
      </button>
      {open && (
        <Popup anchor={button.current!} role="menu" label={label} className={menuClass ?? ""} onClose={() => setOpen(false)}>
          <CloseMenu value={close}>{children}</CloseMenu>
        </Popup>
      )}
    </>
  );
}

interface MenuItemProps {
  readonly onPick: () => void;
  readonly note?: ReactNode;
  readonly disabled?: boolean;
  readonly children: ReactNode;
}

export function MenuItem({ onPick, note, disabled, children }: MenuItemProps) {
  const close = useContext(CloseMenu);
  const pick = () => {
    close();
    onPick();
  };
  return (
    <button type="button" role="menuitem" tabIndex={-1} className="menu-item" disabled={disabled} onClick={pick}>
      <span>{children}</span>
      {note !== undefined && <span className="meta">{note}</span>}
    </button>
  );
}

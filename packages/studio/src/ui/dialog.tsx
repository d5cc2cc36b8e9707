/** A window over the page. While it is open, the page behind it cannot be used. */
import { type InputHTMLAttributes, type ReactNode, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { Button, IconButton } from "./controls.js";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** If true, the window has no heading. For windows that begin with a text field. */
  readonly bare?: boolean;
}

const REACHABLE = 'button:not(:disabled), input, select, textarea, a[href], [tabindex="0"]';

export function Dialog({ title, onClose, children, bare = false }: DialogProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    const first = box.current!.querySelector<HTMLElement>("[data-first]") ?? box.current!.querySelector<HTMLElement>(REACHABLE);
    first?.focus();
    return () => before?.focus();
  }, []);
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      onClose();
    }
    if (event.key !== "Tab") return;
    const items = [...box.current!.querySelectorAll<HTMLElement>(REACHABLE)].filter((item) => item.tabIndex >= 0);
    const edge = event.shiftKey ? items[0] : items.at(-1);
    if (document.activeElement !== edge) return;
    event.preventDefault();
    (event.shiftKey ? items.at(-1) : items[0])?.focus();
  };
  return createPortal(
    <>
      <div className="backdrop" onPointerDown={onClose} />
      <div ref={box} role="dialog" aria-modal="true" aria-label={title} className="dialog floating" onKeyDown={onKeyDown}>
        {!bare && (
          <div className="dialog-head">
            <h2 className="grow">{title}</h2>
            <IconButton icon="close" label="Close" onClick={onClose} />
          </div>
        )}
        {bare ? children : <div className="dialog-body">{children}</div>}
      </div>
    </>,
    document.body,
  );
}

interface FieldDialogProps extends Pick<DialogProps, "title" | "onClose"> {
  readonly label: string;
  readonly submit: string;
  readonly value: string;
  readonly field?: InputHTMLAttributes<HTMLInputElement>;
  readonly isGood?: (text: string) => boolean;
  readonly onSubmit: (text: string) => unknown;
  readonly children?: ReactNode;
}

export function FieldDialog(props: FieldDialogProps) {
  const { title, label, submit, value, field, isGood = () => true, onSubmit, onClose, children } = props;
  const [text, setText] = useState(value);
  const take = async (event: React.FormEvent) => {
    event.preventDefault();
    if (!isGood(text)) return;
    await onSubmit(text);
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="row" onSubmit={take}>
        <input
          className="field"
          data-first
          aria-label={label}
          maxLength={200}
          {...field}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit" look="solid" disabled={!isGood(text)}>
          {submit}
        </Button>
      </form>
      {children}
    </Dialog>
  );
}

/** Short words about things already done. */

import { useApp } from "../page/context.js";
import { LinkButton } from "../ui/controls.js";

export function Toasts() {
  const toasts = useApp((state) => state.toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, text, tone, button }) => (
        <div key={id} className="toast floating">
          <span className={`grow ${tone === "bad" ? "bad" : ""}`}>{text}</span>
          {button && <LinkButton onClick={button.act}>{button.label}</LinkButton>}
        </div>
      ))}
    </div>
  );
}

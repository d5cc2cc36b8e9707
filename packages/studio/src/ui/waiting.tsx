/** Nothing for 400 ms, then what is going on. */
import { type ReactNode, useEffect, useState } from "react";

/** Whether something takes long enough to be told. */
export function useLate(): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 400);
    return () => clearTimeout(timer);
  }, []);
  return late;
}

/** A bar without a count, where nobody knows how long it takes. */
export function UnknownMeter() {
  return (
    <span className="meter active unknown">
      <i />
    </span>
  );
}

/** In the place of what is not there yet. */
export function Waiting({ className = "", children }: { readonly className?: string; readonly children: ReactNode }) {
  const late = useLate();
  return (
    <div className={`waiting ${className}`} aria-busy="true">
      {late && (
        <div role="status">
          <p>{children}</p>
          <UnknownMeter />
        </div>
      )}
    </div>
  );
}

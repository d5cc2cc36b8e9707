/** A placeholder for content that is loading: empty for 400 ms, then a message. */
import { type ReactNode, useEffect, useState } from "react";

export function useLate(): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 400);
    return () => clearTimeout(timer);
  }, []);
  return late;
}

export function UnknownMeter() {
  return (
    <span className="meter active unknown">
      <i />
    </span>
  );
}

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

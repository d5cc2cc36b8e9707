/** A scrolling part of the page. If its content does not fit, the part can be focused, so that keys can scroll it. */
import { type ReactNode, useEffect, useRef, useState } from "react";

export function Scroll({ label, className = "", children }: { label: string; className?: string; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const element = box.current!;
    const look = () => setLong(element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1);
    const watcher = new ResizeObserver(look);
    watcher.observe(element);
    for (const child of element.children) watcher.observe(child);
    return () => watcher.disconnect();
  });
  return (
    <div ref={box} className={`scroll ${className}`} {...(isLong ? { tabIndex: 0, role: "region", "aria-label": label } : {})}>
      {children}
    </div>
  );
}

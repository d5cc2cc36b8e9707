/** A list of any length. Only its visible rows are in the page. All rows have the same height. */
import { type KeyboardEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from "react";

interface VirtualListProps {
  readonly label: string;
  readonly count: number;
  readonly rowHeight: number;
  readonly className?: string;
  readonly active: number;
  readonly isChoice?: (index: number) => boolean;
  readonly onActive: (index: number) => void;
  readonly onKey?: (event: KeyboardEvent) => void;
  readonly renderRow: (index: number, isActive: boolean) => ReactNode;
}

const always = () => true;

export function VirtualList(props: VirtualListProps) {
  const { label, count, rowHeight, className = "", active, isChoice = always, onActive, onKey, renderRow } = props;
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  const { first, last, onScroll } = useSight(box, count, rowHeight, active);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextIndex(event.key, active, count, isChoice);
    if (next !== null) {
      event.preventDefault();
      onActive(next);
    } else onKey?.(event);
  };
  const shown = Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i);
  return (
    <div
      ref={box}
      role="listbox"
      aria-label={label}
      tabIndex={0}
      className={`virtual ${className}`}
      aria-activedescendant={active >= first && active < last ? `${id}-${active}` : undefined}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <div className="virtual-space" role="presentation" style={{ height: count * rowHeight }}>
        {shown.map((index) => (
          <div
            key={index}
            id={`${id}-${index}`}
            role={isChoice(index) ? "option" : "presentation"}
            aria-selected={isChoice(index) ? index === active : undefined}
            className="virtual-row"
            style={{ top: index * rowHeight, height: rowHeight }}
            onPointerDown={() => isChoice(index) && onActive(index)}
          >
            {renderRow(index, index === active)}
          </div>
        ))}
      </div>
    </div>
  );
}

function useSight(box: React.RefObject<HTMLDivElement | null>, count: number, rowHeight: number, active: number) {
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => setHeight(box.current?.clientHeight ?? 600));
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, [box]);
  useEffect(() => {
    const element = box.current!;
    if (active < 0) return;
    const at = active * rowHeight;
    if (at < element.scrollTop) element.scrollTop = at;
    else if (at + rowHeight > element.scrollTop + element.clientHeight) element.scrollTop = at + rowHeight - element.clientHeight;
  }, [box, active, rowHeight]);
  const first = Math.max(0, Math.floor(top / rowHeight) - 4);
  const last = Math.min(count, Math.ceil((top + height) / rowHeight) + 4);
  return { first, last, onScroll: () => setTop(box.current?.scrollTop ?? 0) };
}

/** The index of the next row after a key such as ArrowDown. Skips rows that cannot be chosen. Null for keys that do not move. */
export function nextIndex(key: string, at: number, count: number, isChoice: (index: number) => boolean): number | null {
  const moves: Readonly<Record<string, readonly [number, number]>> = {
    ArrowDown: [at + 1, 1],
    ArrowUp: [at - 1, -1],
    Home: [0, 1],
    End: [count - 1, -1],
    PageDown: [Math.min(count - 1, at + 10), 1],
    PageUp: [Math.max(0, at - 10), -1],
  };
  const move = moves[key];
  if (!move) return null;
  for (let [index, step] = move; index >= 0 && index < count; index += step) if (isChoice(index)) return index;
  return null;
}

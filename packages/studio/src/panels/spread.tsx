/** The spread of a column in 40 pixels: bars for numbers, shares for levels. */
import type { ColumnReply } from "@coterie/workbench/protocol";

export function Spread({ column }: { readonly column: ColumnReply }) {
  const { counts } = column;
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return <span />;
  return (
    <svg width="40" height="16" aria-hidden="true">
      {column.min !== undefined ? <Bars counts={counts} /> : <Shares counts={counts} total={total} />}
    </svg>
  );
}

function Bars({ counts }: { readonly counts: readonly number[] }) {
  const most = Math.max(...counts);
  const step = 40 / counts.length;
  const bars = counts.map((count, i) => {
    const height = (count / most) * 14;
    return `M${(i * step).toFixed(1)} 16v${(-height).toFixed(1)}h${(step * 0.64).toFixed(1)}V16z`;
  });
  return <path d={bars.join("")} fill="var(--ink-3)" />;
}

function Shares({ counts, total }: { readonly counts: readonly number[]; readonly total: number }) {
  let x = 0;
  const parts = counts.map((count) => {
    const width = (count / total) * 40;
    const path = `M${x.toFixed(1)} 4h${Math.max(0.3, width - 1).toFixed(1)}v8h${(-Math.max(0.3, width - 1)).toFixed(1)}z`;
    x += width;
    return path;
  });
  return <path d={parts.join("")} fill="var(--ink-3)" opacity="0.7" />;
}

/** Line icons, drawn on a grid of 16 × 16 units. */
const PATHS = {
  search: "M11 7a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM10 10l3.500 3.500",
  moon: "M13 9.500A5.500 5.500 0 0 1 6.500 3 5.500 5.500 0 1 0 13 9.500z",
  down: "M4 6l4 4 4-4",
  check: "M3.500 8.500l3 3 6-7",
  close: "M4 4l8 8M12 4l-8 8",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  more: "M4 8h.01M8 8h.01M12 8h.01",
  export: "M8 10V2.500M5 5.200l3-2.700 3 2.700M3 9.500V13h10V9.500",
  pointer: "M4 3l8 4.500-3.600 1L6.500 12z",
  lasso:
    "M8 3c3.300 0 5.500 1.500 5.500 3.700S11.300 10.500 8 10.500c-1 0-2-.2-2.700-.5M8 3C4.700 3 2.500 4.500 2.500 6.700c0 1.500 1.100 2.700 2.800 3.300.4 1.300-.2 2.800-1.600 3.300",
  line: "M5.200 10.800l5.600-5.600M5.600 12.200a1.800 1.800 0 1 1-3.600 0 1.800 1.800 0 0 1 3.600 0zM14 3.800a1.800 1.800 0 1 1-3.600 0 1.800 1.800 0 0 1 3.600 0z",
  move: "M8 2v12M2 8h12M8 2L6.500 3.500M8 2l1.500 1.500M8 14l-1.500-1.500M8 14l1.500-1.500M2 8l1.500-1.500M2 8l1.500 1.500M14 8l-1.500-1.500M14 8l-1.500 1.500",
  warning: "M8 2.500l6 11H2zM8 6.500v3M8 11.500h.01",
  undo: "M5.500 3l-3 3 3 3M2.500 6h7a3.500 3.500 0 0 1 0 7H7",
  redo: "M10.500 3l3 3-3 3M13.500 6h-7a3.500 3.500 0 0 0 0 7H9",
  arrow: "M3 8h10M9.500 4.500L13 8l-3.500 3.500",
  swap: "M3 5.500h10M10.500 3L13 5.500 10.500 8M13 10.500H3M5.500 8L3 10.500 5.500 13",
  copy: "M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3",
  panel: "M2.500 3h11v10h-11zM10 3v10",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} strokeWidth={name === "more" ? 2 : undefined} />
    </svg>
  );
}

export function Brand() {
  return (
    <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <g stroke="currentColor" strokeWidth="1.6" fill="none">
        <path d="M6 13.5L10 5.500" />
        <path d="M10 5.500l5 7.500" strokeDasharray="2.200 1.800" />
        <circle cx="15" cy="14" r="2.300" fill="var(--panel)" />
      </g>
      <circle cx="10" cy="5" r="3" fill="currentColor" />
      <circle cx="5.500" cy="14.500" r="3" fill="currentColor" />
    </svg>
  );
}

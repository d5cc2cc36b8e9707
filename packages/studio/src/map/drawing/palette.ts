/** The colours of the current theme, read from the style sheet. */
import { useSyncExternalStore } from "react";
import { STEPS } from "../../state/groups.js";
import type { Palette, Rgb } from "./colours.js";

function readPalette(): Palette {
  const probe = document.createElement("span");
  probe.hidden = true;
  document.body.append(probe);
  const read = (token: string): Rgb => {
    probe.style.setProperty("color", `var(--${token})`);
    return parseColour(getComputedStyle(probe).color);
  };
  const [canvas, ink, count] = [read("canvas"), read("link"), read("ink-2")];
  const clusters = Array.from({ length: 9 }, (_, i) => read(`c${i}`));
  probe.remove();
  const steps = Array.from({ length: STEPS }, (_, i) => mix(canvas, clusters[1]!, 0.18 + (0.82 * i) / (STEPS - 1)));
  return { marks: [...clusters, ...steps], ink, count, canvas, isDark: canvas[0] + canvas[1] + canvas[2] < 384 };
}

function parseColour(text: string): Rgb {
  const numbers = text.match(/[\d.]+/g)?.map(Number) ?? [];
  return [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 0];
}

function mix(a: Rgb, b: Rgb, share: number): Rgb {
  return [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share];
}

let current: Palette | null = null;
const listeners = new Set<() => void>();

function listen(listener: () => void): () => void {
  if (listeners.size === 0) watchTheme();
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let isWatching = false;

function watchTheme(): void {
  if (isWatching) return;
  isWatching = true;
  const change = () => {
    current = null;
    for (const listener of [...listeners]) listener();
  };
  new MutationObserver(change).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", change);
}

export function usePalette(): Palette {
  return useSyncExternalStore(listen, () => {
    current ??= readPalette();
    return current;
  });
}

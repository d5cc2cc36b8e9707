/** Draws rows by the cluster that the worker gives them. */
import type { Job, Reply } from "./protocol.js";

const COLOURS = ["#0072b2", "#d55e00", "#009e73"];
const progress = document.querySelector<HTMLOutputElement>("#progress")!;
const map = document.querySelector<SVGSVGElement>("#map")!;

/** Three clouds of rows on a grid of angles: the same at every visit. */
const rows = Array.from({ length: 600 }, (_, i) => {
  const [x, y] = [
    [0, 0],
    [4, 0],
    [2, 3.5],
  ][i % 3] as [number, number];
  const radius = 1.6 * Math.sqrt(((i * 37) % 101) / 101);
  return [x + radius * Math.cos(i), y + radius * Math.sin(i)];
});

const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
document.querySelector("#stop")!.addEventListener("click", () => worker.postMessage("stop"));
worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => {
  if ("step" in data) progress.value = data.step;
  else if ("stopped" in data) progress.value = "stopped";
  else draw(data.labels);
});
worker.postMessage({ rows, mustLink: [[0, 3]], k: 3 } satisfies Job);

function draw(labels: Int32Array): void {
  for (const [i, row] of rows.entries()) {
    const mark = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    mark.setAttribute("cx", String(row[0]));
    mark.setAttribute("cy", String(row[1]));
    mark.setAttribute("r", "0.06");
    mark.setAttribute("fill", COLOURS[labels[i]!]!);
    map.append(mark);
  }
  progress.value = `done: ${new Set(labels).size} clusters`;
}

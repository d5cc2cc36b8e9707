import { expect, test } from "vitest";
import { createMemoryStore } from "../store/memory-store.js";
import { localWorkbench } from "../testing/local-workbench.js";
import { float32sFrom } from "./base64.js";
import type { Workbench } from "./workbench.js";

const N = 60;

/** Three groups in many columns. */
function wideCsv(columns: number, n = N): string {
  const cell = (i: number, j: number) => (((i * 37 + j * 101) % 97) / 97 + (j % 3 === i % 3 ? 4 : 0)).toFixed(3);
  const names = Array.from({ length: columns }, (_, j) => `v${j}`);
  const lines = Array.from({ length: n }, (_, i) => names.map((_, j) => cell(i, j)).join(","));
  return `${names.join(",")}\n${lines.join("\n")}\n`;
}

async function projectOf({ call }: Workbench, csv: string): Promise<string> {
  const { upload } = await call("upload", { name: "wide.csv", bytes: new TextEncoder().encode(csv) });
  return (await call("createProject", { upload })).id;
}

const moved = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, p) => sum + Math.abs(value - b[p]!) / a.length, 0);

test("a table of many columns gets neighbourhoods, with a notice; a table of few columns gets components", async () => {
  const workbench = localWorkbench();
  const wide = await projectOf(workbench, wideCsv(40));
  const map = await workbench.call("map", { project: wide, space: "auto" });
  expect([map.space, map.title]).toEqual(["neighbourhoods", "Neighbourhoods"]);
  expect(map.notice).toContain("40 columns");
  const narrow = await projectOf(workbench, wideCsv(5));
  const plain = await workbench.call("map", { project: narrow, space: "auto" });
  expect([plain.space, plain.notice]).toEqual(["features", undefined]);
  const asked = await workbench.call("map", { project: narrow, space: "neighbourhoods" });
  expect([asked.space, float32sFrom(asked.xy).length]).toEqual(["neighbourhoods", 2 * N]);
});

test("the map is kept with the project, and moves little when a column is left out", async () => {
  const store = createMemoryStore();
  const workbench = localWorkbench(store);
  const project = await projectOf(workbench, wideCsv(40));
  const first = await workbench.call("map", { project, space: "neighbourhoods" });
  expect((await localWorkbench(store).call("map", { project, space: "neighbourhoods" })).xy).toBe(first.xy);
  await workbench.call("changeProject", { project, reading: { ignore: ["v3"] } });
  const second = await workbench.call("map", { project, space: "neighbourhoods" });
  expect(second.xy).not.toBe(first.xy);
  const [a, b] = [float32sFrom(first.xy), float32sFrom(second.xy)];
  expect(moved(a, b)).toBeLessThan(0.05 * (Math.max(...a) - Math.min(...a)));
});

test("constraints pull and push only in the map by knowledge", async () => {
  const workbench = localWorkbench();
  const project = await projectOf(workbench, wideCsv(40));
  const plain = await workbench.call("map", { project, space: "neighbourhoods" });
  const constraint = { type: "must-link", a: 0, b: 1 };
  const entry = { id: "entry-000001", by: "ann", from: { kind: "drawn" }, change: { type: "add", constraint } } as never;
  await workbench.call("append", { project, entries: [entry] });
  expect((await workbench.call("map", { project, space: "neighbourhoods" })).xy).toBe(plain.xy);
  const pulled = await workbench.call("map", { project, space: "neighbourhoods", by: "knowledge" });
  const apart = (xy: string) => {
    const at = float32sFrom(xy);
    return Math.hypot(at[0]! - at[2]!, at[1]! - at[3]!);
  };
  expect(apart(pulled.xy)).toBeLessThan(apart(plain.xy));
});

test("a map that is stopped says so, and the next one is drawn anew", async () => {
  const workbench = localWorkbench();
  const project = await projectOf(workbench, wideCsv(32, 900));
  const drawing = workbench.call("map", { project, space: "neighbourhoods" });
  const outcome = drawing.catch((error: Error) => error.message);
  await new Promise((resume) => setTimeout(resume, 60));
  await workbench.call("stopMap", { project });
  expect(await outcome).toBe("The map of neighbourhoods was stopped.");
  expect((await workbench.call("map", { project, space: "neighbourhoods" })).n).toBe(900);
});

/** The page over a small made-up back end, in a real browser: what people see and press. */
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { type Fixture, fixture } from "../testing/fixture.js";
import "../ui/styles.css";
import { App } from "./app.js";

let root: Root | null = null;

function open(address: string, back: Fixture = fixture()): Fixture {
  location.hash = address;
  localStorage.clear();
  const place = document.createElement("div");
  place.id = "studio";
  document.body.replaceChildren(place);
  root = createRoot(place);
  root.render(<App client={back} />);
  return back;
}

beforeEach(() => page.viewport(1440, 900));
afterEach(() => root?.unmount());

test("the start page names what to do, and a sample leads to the map", async () => {
  open("#/");
  await expect.element(page.getByRole("heading", { name: "Start with a table" })).toBeVisible();
  await expect.element(page.getByRole("button", { name: "Choose a file" })).toBeVisible();
  await expect.element(page.getByRole("button", { name: "Paste a table" })).toBeVisible();
  await page.getByRole("button", { name: "penguins", exact: true }).click();
  await expect.element(page.getByRole("img", { name: "Map of 150 rows" })).toBeVisible();
  expect(location.hash).toBe("#/projects/penguins/map");
});

test("two rows picked by keys, answered with S, are one answer in the list; U takes it back", async () => {
  const back = open("#/projects/penguins/map");
  const map = page.getByRole("application");
  await expect.element(map).toBeVisible();
  (map.element() as HTMLElement).focus();
  await userEvent.keyboard(" {ArrowRight} ");
  const bubble = page.getByRole("dialog");
  await expect.element(bubble).toBeVisible();
  await expect.element(map).toHaveFocus();
  await userEvent.keyboard("s");
  await expect.element(page.getByRole("option", { name: /=/ })).toBeVisible();
  expect(back.entries).toHaveLength(1);
  expect(back.entries[0]!.change).toMatchObject({ type: "add", constraint: { type: "must-link" } });
  await userEvent.keyboard("u");
  await expect.element(page.getByText("No answers yet", { exact: true })).toBeVisible();
});

test("a run by Ctrl Enter colours the map and names its clusters", async () => {
  open("#/projects/penguins/map");
  await expect.element(page.getByRole("button", { name: "Run MPCK-means" })).toBeVisible();
  await userEvent.keyboard("{Control>}{Enter}{/Control}");
  await expect.element(page.getByRole("button", { name: "Colour Run 1, MPCK-means" })).toBeVisible();
  await expect.element(page.getByRole("button", { name: "A Adelie 50" })).toBeVisible();
});

test("methods are tried on held-out answers when asked; a click takes one of them", async () => {
  const constraint = (i: number) =>
    i % 2 === 0 ? ({ type: "must-link", a: i, b: i + 2 } as const) : ({ type: "cannot-link", a: i, b: i + 60 } as const);
  const back = fixture();
  await back.call("append", {
    project: "penguins",
    entries: Array.from({ length: 20 }, (_, i) => ({
      id: `entry-${i}`,
      by: "me",
      from: { kind: "drawn" as const },
      change: { type: "add" as const, constraint: constraint(i) },
    })),
  });
  open("#/projects/penguins/map", back);
  await page.getByRole("button", { name: "Compare methods on held-out answers" }).click();
  await expect.element(page.getByRole("button", { name: "Stop" })).toBeVisible();
  const tried = (algorithm: string, score: number) => ({
    algorithm,
    scale: "given",
    score,
    error: 0.05,
    failure: null,
  });
  const advised = {
    algorithm: "kmeans",
    scale: "given",
    by: "held-out constraints" as const,
    because: "it agrees best with constraints that were held out",
    leftOut: [{ algorithm: "rca-kmeans", seconds: 600 }],
    tried: [
      tried("mpck-means", 0.6),
      tried("kmeans", 0.9),
      { ...tried("ccl", 0), score: null, error: null, failure: "No answer." },
    ],
    held: 20,
    suspects: [{ constraint: { type: "must-link" as const, a: 0, b: 14 }, probability: 0.93 }],
  };
  back.emit({ type: "advice", advice: { upTo: 20, k: 3, state: "done", progress: null, problem: null, advised } });
  const table = page.getByRole("table", { name: "Methods on held-out answers" });
  await expect.element(table).toBeVisible();
  await expect.element(table.getByRole("row").nth(1)).toHaveTextContent(/^k-means recommended0\.90 ± 0\.05/);
  await expect.element(table.getByText("failed")).toBeVisible();
  await expect.element(page.getByRole("list", { name: "Suspect answers" })).toHaveTextContent("0 = 1493% likely wrong");
  await table.getByRole("button", { name: "MPCK-means" }).click();
  await expect.element(page.getByRole("button", { name: "Run MPCK-means" })).toBeVisible();
});

test("left-out rows, scaling and roles are explained in sentences, each with a button that undoes it", async () => {
  const back = open("#/projects/penguins/map");
  await expect.element(page.getByText("2 rows of the file are left out: cells are missing.")).toBeVisible();
  await expect
    .element(page.getByText("Number columns are scaled to mean 0 and standard deviation 1", { exact: false }))
    .toBeVisible();
  await page.getByRole("button", { name: "Use class as a feature" }).click();
  await expect.poll(async () => (await back.call("project", { project: "penguins" })).reading.truth).toBeNull();
});

test("at 1440, 768 and 500 pixels every cluster has its key, the page is no wider than the window, and no cell of the table is cut", async () => {
  const back = fixture();
  await back.call("startRun", { project: "penguins", algorithm: "kmeans", options: { k: 3 } });
  for (const width of [1440, 768, 500]) {
    await page.viewport(width, 900);
    root?.unmount();
    open("#/projects/penguins/map", back);
    await expect.element(page.getByRole("button", { name: "A Adelie 50" })).toBeVisible();
    const keys = [...document.querySelectorAll(".foot .group-button")].map((key) => key.getBoundingClientRect());
    const foot = document.querySelector(".foot")!.getBoundingClientRect();
    expect(keys).toHaveLength(3);
    for (const key of keys)
      expect([key.left >= foot.left, key.right <= foot.right, key.bottom <= foot.bottom]).toEqual([true, true, true]);
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
    for (const name of ["Export", "Theme"])
      expect(page.getByRole("button", { name }).element().getBoundingClientRect().right).toBeLessThanOrEqual(width);
    await userEvent.keyboard("t");
    await expect.element(page.getByText("Torgersen").first()).toBeInTheDocument();
    const cut = [...document.querySelectorAll(".row-lines .num")].filter((cell) => cell.scrollWidth > cell.clientWidth);
    expect(cut.map((cell) => cell.textContent)).toEqual([]);
  }
});

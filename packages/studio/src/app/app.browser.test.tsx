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
  await expect.element(bubble.getByRole("button", { name: "Same" })).toHaveFocus();
  await userEvent.keyboard("s");
  await expect.element(page.getByRole("option", { name: /=/ })).toBeVisible();
  expect(back.entries).toHaveLength(1);
  expect(back.entries[0]!.change).toMatchObject({ type: "add", constraint: { type: "must-link" } });
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.element(page.getByText("No answers yet", { exact: true })).toBeVisible();
});

test("a run by Ctrl Enter colours the map and names its clusters", async () => {
  open("#/projects/penguins/map");
  await expect.element(page.getByRole("button", { name: "Run MPCK-means" })).toBeVisible();
  await userEvent.keyboard("{Control>}{Enter}{/Control}");
  await expect.element(page.getByRole("button", { name: "Colour Run 1, MPCK-means" })).toBeVisible();
  await expect.element(page.getByRole("button", { name: "A Adelie 50" })).toBeVisible();
});

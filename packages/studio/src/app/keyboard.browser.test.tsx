/** What keys do to the log of answers: an answer is recorded only by a key that was meant for it, and none is lost. */
import { type Constraint, exportedOf, type NewEntry, tallyOf } from "@coterie/workbench/protocol";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { type Fixture, fixture } from "../testing/fixture.js";
import "../ui/styles.css";
import { App } from "./app.js";

let root: Root | null = null;

beforeEach(async () => {
  localStorage.clear();
  await page.viewport(1440, 900);
});
afterEach(() => root?.unmount());

function show(view: string, back: Fixture): void {
  root?.unmount();
  location.hash = `#/projects/penguins/${view}`;
  const place = document.createElement("div");
  place.id = "studio";
  document.body.replaceChildren(place);
  root = createRoot(place);
  root.render(<App client={back} />);
}

async function onMap(back = fixture()): Promise<Fixture> {
  show("map", back);
  await expect.element(page.getByRole("img", { name: "Map of 150 rows" })).toBeVisible();
  return back;
}

async function inAsk(back = fixture()): Promise<Fixture> {
  show("ask", back);
  await expect.element(page.getByRole("heading", { name: /Do these two belong together|Which row is least/ })).toBeVisible();
  return back;
}

/** Finds a row by Ctrl K and picks it. */
async function find(text: string, enter = "{Enter}"): Promise<void> {
  await userEvent.keyboard(`{Control>}k{/Control}`);
  await userEvent.keyboard(text);
  await expect.element(page.getByRole("option", { name: `Row ${text} ` })).toBeVisible();
  const options = page.getByRole("listbox", { name: "Results" }).getByRole("option").elements();
  const at = options.findIndex((option) => option.textContent?.startsWith(`Row ${text}`));
  await userEvent.keyboard("{ArrowDown}".repeat(at) + enter);
}

const said = ({ entries }: Fixture) => entries.map(({ change }) => change);
const link = { type: "add", constraint: { type: "must-link", a: 50, b: 60 } };

test("two rows found by keys are picked and nothing is recorded; Enter held down records nothing either", async () => {
  const back = await onMap();
  await find("50");
  await find("60", "{Enter>5/}");
  await expect.element(page.getByRole("dialog", { name: "Rows 50 and 60" })).toBeVisible();
  await userEvent.keyboard("{Enter} {Enter>3/}");
  expect(said(back)).toEqual([]);
  await userEvent.keyboard("s");
  await expect.poll(() => said(back)).toEqual([link]);
});

test("a key that stays down presses a button once, and a letter that stays down answers once", async () => {
  const back = await inAsk();
  (page.getByRole("button", { name: "Same" }).element() as HTMLElement).focus();
  await userEvent.keyboard("{Enter>5/}");
  await expect.element(page.getByText("Question 2", { exact: true })).toBeVisible();
  await userEvent.keyboard("{s>5/}");
  await expect.element(page.getByText("Question 3", { exact: true })).toBeVisible();
  expect(back.entries).toHaveLength(2);
});

test("Enter that opens a menu and stays down presses nothing in the menu, to which the focus moved", async () => {
  await onMap();
  (page.getByRole("button", { name: "Add", exact: true }).element() as HTMLElement).focus();
  await userEvent.keyboard("{Enter>5/}");
  await expect.element(page.getByRole("menuitem", { name: "Type an answer" })).toHaveFocus();
  expect(page.getByRole("dialog").elements()).toEqual([]);
});

test("a letter that looks for an item of an open menu is no answer", async () => {
  const back = await inAsk();
  (page.getByRole("button", { name: /^Strategy/ }).element() as HTMLElement).focus();
  await userEvent.keyboard("{ArrowDown}");
  await expect.element(page.getByRole("listbox", { name: "Strategy" })).toBeVisible();
  await userEvent.keyboard("dk");
  expect(said(back)).toEqual([]);
});

test("every answer shows a toast that takes it back: a link, a label of many rows, an answer in Ask", async () => {
  const back = await onMap();
  const undo = page.getByRole("status").getByRole("button", { name: "Undo" });
  await find("50");
  await find("60");
  await userEvent.keyboard("d");
  await expect.element(page.getByRole("status").getByText("50 ≠ 60")).toBeVisible();
  await undo.click();
  await expect.poll(() => back.entries.map(({ change }) => change.type)).toEqual(["add", "undo"]);
  await find("50");
  await find("60");
  await userEvent.keyboard("bGentoo{Enter}");
  await expect.element(page.getByRole("status").getByText("2 rows are Gentoo")).toBeVisible();
  await undo.click();
  await expect.element(page.getByText("No answers yet", { exact: true })).toBeVisible();
  await inAsk(back);
  await userEvent.keyboard("s");
  await expect.element(page.getByRole("status").getByText("3 = 4")).toBeVisible();
  await undo.click();
  await expect.element(page.getByText("Question 1", { exact: true })).toBeVisible();
});

test("undo by key works on every page, and takes back all that one press said", async () => {
  const back = await onMap();
  const kinds = () => back.entries.map(({ change }) => change.type).join(" ");
  for (const [keys, expected] of [
    ["u", "add add undo undo"],
    ["{Control>}z{/Control}", "add add undo undo add add undo undo"],
  ] as const) {
    await find("50");
    await find("60");
    await userEvent.keyboard("bGentoo{Enter}");
    await expect.element(page.getByRole("option", { name: /50 is Gentoo/ })).toBeVisible();
    await userEvent.keyboard(keys);
    await expect.poll(kinds).toBe(expected);
  }
  for (const view of ["ask", "understand", "compare"]) {
    show("map", back);
    await onMap(back);
    const before = back.entries.length;
    await find("50");
    await find("60");
    await userEvent.keyboard("s");
    await expect.poll(() => back.entries.length).toBe(before + 1);
    location.hash = `#/projects/penguins/${view}`;
    await expect.element(page.getByRole("main")).toBeVisible();
    await userEvent.keyboard("u");
    await expect.poll(() => back.entries.at(-1)?.change).toEqual({ type: "undo", entry: back.entries[before]!.id });
  }
});

test("B labels one row, three rows, and rows of the table; what is typed as the label presses no tool", async () => {
  const back = await onMap();
  await find("50");
  await userEvent.keyboard("bvlehk{Enter}");
  await expect.poll(() => said(back)).toEqual([{ type: "add", constraint: { type: "label", a: 50, class: "vlehk" } }]);
  await expect.element(page.getByRole("button", { name: "Select (V)" })).toHaveAttribute("aria-pressed", "true");
  await userEvent.keyboard("t");
  const rows = page.getByRole("listbox", { name: "Rows" });
  (rows.element() as HTMLElement).focus();
  await userEvent.keyboard("{Home} {ArrowDown} {ArrowDown}{Shift>} {/Shift}");
  await userEvent.keyboard("bsd{Enter}");
  await expect.poll(() => back.entries.length).toBe(4);
  expect(said(back).slice(1)).toEqual([0, 1, 2].map((a) => ({ type: "add", constraint: { type: "label", a, class: "sd" } })));
});

test("of three picked rows 1, 2, 3 are answers, K is don’t know, B a label; ? shows the keys and answers nothing", async () => {
  const back = await onMap();
  await find("50");
  await find("60");
  await userEvent.keyboard("o");
  await find("70");
  await expect.element(page.getByText("Which row is least like the other two?")).toBeVisible();
  await userEvent.keyboard("?");
  await expect.element(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  await userEvent.keyboard("{Escape}");
  expect(said(back)).toEqual([]);
  await userEvent.keyboard("k");
  await expect.poll(() => said(back)).toEqual([{ type: "add", constraint: { type: "unsure", rows: [50, 60, 70] } }]);
});

test("keys of questions in Ask: S, D, K, U, ? and Q as in the terminal; A, B, C and 1, 2, 3 for three rows", async () => {
  const back = await inAsk();
  await userEvent.keyboard("?");
  await expect.element(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  await userEvent.keyboard("{Escape}");
  for (const [i, key] of [..."sdk"].entries()) {
    await userEvent.keyboard(key);
    await expect.element(page.getByText(`Question ${i + 2}`, { exact: true })).toBeVisible();
  }
  expect(back.entries.map(({ change }) => (change.type === "add" ? change.constraint.type : ""))).toEqual([
    ...["must-link", "cannot-link", "unsure"],
  ]);
  await userEvent.keyboard("u");
  await expect.element(page.getByText("Question 3", { exact: true })).toBeVisible();
  await userEvent.keyboard("q");
  await expect.element(page.getByRole("heading", { name: "Stopped" })).toBeVisible();
  const triples = await inAsk(fixture({ asks: "triplet" }));
  for (const [i, key] of [..."ab3"].entries()) {
    await userEvent.keyboard(key);
    await expect.element(page.getByText(`Question ${i + 2}`, { exact: true })).toBeVisible();
  }
  expect(triples.entries.map(({ change }) => (change.type === "add" ? change.constraint : null))).toMatchObject([
    ...[{ c: 3 }, { c: 7 }, { c: 11 }],
  ]);
});

test("an earlier answer is revised by keyboard, and undo brings it back", async () => {
  const back = await inAsk();
  for (const [i, key] of [..."sd"].entries()) {
    await userEvent.keyboard(key);
    await expect.element(page.getByText(`Question ${i + 2}`, { exact: true })).toBeVisible();
  }
  const first = page.getByRole("button", { name: "Revise 3 = 4" });
  first.element().focus();
  await userEvent.keyboard("{Enter}");
  await expect.element(page.getByRole("menuitem", { name: "Same" })).toBeDisabled();
  await expect.element(page.getByRole("menuitem", { name: "Different" })).toHaveFocus();
  await userEvent.keyboard("{ArrowDown}{Enter}");
  const { id } = back.entries[0]!;
  const constraint = { type: "unsure", rows: [3, 4] };
  await expect.poll(() => back.entries[2]?.change).toEqual({ type: "revise", entry: id, constraint });
  await expect.element(page.getByText("Revised to 3, 4: don’t know")).toBeVisible();
  await userEvent.keyboard("u");
  await expect.poll(() => back.entries[3]?.change).toEqual({ type: "undo", entry: back.entries[2]!.id });
  await expect.element(first).toBeVisible();
});

test("of three rows a revised answer names the odd one by its place in the question", async () => {
  const back = await inAsk(fixture({ asks: "triplet" }));
  await userEvent.keyboard("a");
  await expect.element(page.getByText("Question 2", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Revise 4, 5 | 3" }).click();
  await expect.element(page.getByRole("menuitem", { name: "3 is the odd one" })).toBeDisabled();
  await page.getByRole("menuitem", { name: "4 is the odd one" }).click();
  const constraint = { type: "relative", a: 3, b: 5, c: 4 };
  await expect.poll(() => back.entries[1]?.change).toEqual({ type: "revise", entry: back.entries[0]!.id, constraint });
});

test("with an error rate questions are asked with it, and answers are sent as evidence", async () => {
  const back = await inAsk();
  await page.getByRole("button", { name: "Wrong answers none" }).click();
  await page.getByRole("option", { name: "1 in 10" }).click();
  const asked = () => back.calls.filter(({ name }) => name === "ask").at(-1)?.input;
  await expect.poll(asked).toMatchObject({ errorRate: 0.1 });
  await userEvent.keyboard("s");
  await expect.poll(() => back.calls.find(({ name }) => name === "answer")?.input).toMatchObject({ evidence: 0.1 });
});

test("an answer in Ask that is given while offline outlives a reload", async () => {
  const back = await inAsk();
  back.online = false;
  await userEvent.keyboard("d");
  await expect.element(page.getByText(/1 answer is not saved yet/)).toBeVisible();
  const again = fixture();
  await onMap(again);
  await expect.poll(() => said(again)).toEqual([{ type: "add", constraint: { type: "cannot-link", a: 3, b: 4 } }]);
  expect(again.entries[0]!.from).toEqual({ kind: "asked", strategy: "spreading", number: 1 });
  await expect.poll(() => Object.keys(localStorage).filter((key) => key.includes("outbox"))).toEqual([]);
});

test("U takes back an answer that waits while offline, not an earlier one", async () => {
  const back = await inAsk();
  await userEvent.keyboard("s");
  await expect.element(page.getByText("Question 2", { exact: true })).toBeVisible();
  back.online = false;
  await userEvent.keyboard("d");
  await expect.element(page.getByText(/1 answer is not saved yet/)).toBeVisible();
  await userEvent.keyboard("u");
  await expect.element(page.getByText(/2 answers are not saved yet/)).toBeVisible();
  back.online = true;
  await page.getByRole("button", { name: "Try now" }).click();
  await expect.poll(() => back.entries.map(({ change }) => change.type)).toEqual(["add", "add", "undo"]);
  expect(back.entries[2]!.change).toEqual({ type: "undo", entry: back.entries[1]!.id });
});

test("all numbers of answers on the map agree with the one count", async () => {
  const back = await onMap();
  const add = (i: number, constraint: Constraint): NewEntry => ({
    id: `given-entry-${i}`,
    by: "me",
    from: { kind: "drawn" },
    change: { type: "add", constraint },
  });
  const said: readonly Constraint[] = [
    { type: "must-link", a: 1, b: 4 },
    { type: "cannot-link", a: 2, b: 3 },
    { type: "cannot-link", a: 5, b: 6 },
    { type: "label", a: 7, class: "x" },
    { type: "unsure", rows: [8, 9] },
  ];
  await back.call("append", { project: "penguins", entries: said.map((constraint, i) => add(i, constraint)) });
  await userEvent.keyboard("{Control>}{Enter}{/Control}");
  await expect.element(page.getByRole("button", { name: "Colour Run 1, MPCK-means" })).toBeVisible();
  await back.call("append", { project: "penguins", entries: [add(9, { type: "must-link", a: 10, b: 11 })] });
  await expect.element(page.getByRole("option", { name: /10 = 11/ })).toBeVisible();
  const { constraints } = await back.call("knowledge", { project: "penguins", by: "me" });
  const { all, of, checkable } = tallyOf(constraints);
  expect([all, checkable]).toEqual([6, 5]);
  const textOf = (selector: string) => document.querySelector(selector)!.textContent!;
  expect(textOf(".knowledge-panel .section-head .count")).toBe(String(all));
  expect(textOf(".knowledge-filter")).toBe(
    `All= ${of["must-link"]}≠ ${of["cannot-link"]}ab|c ${of.relative}label ${of.label}other ${of.unsure}`,
  );
  expect(textOf(".knowledge-head")).toBe(`Newest first ${all}`);
  expect([...document.querySelectorAll(".link-count")].map((each) => each.textContent)).toEqual([
    `must-links: ${of["must-link"]}`,
    `cannot-links: ${of["cannot-link"]}`,
    `odd one out: ${of.relative}`,
  ]);
  expect(textOf("[aria-label=Method] .note")).toBe(`uses ${checkable} of ${all} answers`);
  const { given } = (await back.call("runs", { project: "penguins" }))[0]!;
  expect(textOf(".foot")).toContain(`Run 1 keeps all ${given} answers, ${checkable - given} newer`);
  await page.getByRole("button", { name: "Export" }).click();
  await expect.element(page.getByText(`known.csv, ${exportedOf(constraints)} rows`)).toBeVisible();
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { pairs } from "../../../core/src/testing/tuples.js";
import { pickedWith } from "../state/actions.js";
import { knownRows, layersOf, linksOf, manyAtRest, pathOf } from "../state/links.js";
import { boundsOf, countInSight, fit, moved, ticks, toData, toScreen, withInSight, zoomed } from "../state/view.js";
import { cellAt, HEXAGON, hexagonSteps, levelOf, tileOf } from "./drawing/hexagon-layer.js";
import { FADED, HIDDEN, KNOWN, STRIDE, stylesOf } from "./drawing/marks.js";
import { quietPlace } from "./map-stage.js";
import { namePlaces, scattered, startOf } from "./naming.js";
import { restOf } from "./overlay.js";
import { isInside, placeIndex, rowsInside, rowTowards } from "./places.js";
import { axisWords } from "./plot.js";

const box = { width: 800, height: 600 };
const view = { x: 1, y: 2, kx: 50, ky: 50 };
const places = fc.array(fc.tuple(fc.float({ min: -10, max: 10, noNaN: true }), fc.float({ min: -10, max: 10, noNaN: true })), {
  minLength: 1,
  maxLength: 60,
});
const flat = (points: readonly (readonly [number, number])[]) => Float32Array.from(points.flat());

test("the screen and the data are each other's way back", () => {
  const [x, y] = toScreen(view, box, 3, -1);
  expect(toData(view, box, x, y)).toEqual([3, -1]);
});

test("everything is in sight after a fit, with one scale for both axes where they share a unit", () => {
  fc.assert(
    fc.property(places, fc.boolean(), (points, equal) => {
      const xy = flat(points);
      const fitted = fit(boundsOf(xy), box, equal);
      if (equal) expect(fitted.kx).toBe(fitted.ky);
      for (let i = 0; i < points.length; i++) {
        const [x, y] = toScreen(fitted, box, xy[2 * i]!, xy[2 * i + 1]!);
        expect(x > 0 && x < box.width && y > 0 && y < box.height).toBe(true);
      }
      expect(countInSight(xy, fitted, box, 1e9)).toBe(points.length);
    }),
  );
});

test("a zoom leaves the place under the pointer where it is; a move moves by pixels", () => {
  const before = toData(view, box, 120, 80);
  const after = toData(zoomed(view, box, 3, 120, 80), box, 120, 80);
  expect(after[0]).toBeCloseTo(before[0], 9);
  expect(after[1]).toBeCloseTo(before[1], 9);
  const [x, y] = toScreen(moved(view, 10, -5), box, 0, 0);
  const [ox, oy] = toScreen(view, box, 0, 0);
  expect([x - ox, y - oy].map((d) => Math.round(d * 1e6) / 1e6)).toEqual([10, -5]);
});

test("a row is brought in sight by as little as it takes", () => {
  expect(withInSight(view, box, 1, 2)).toBe(view);
  const [x] = toScreen(withInSight(view, box, 100, 2), box, 100, 2);
  expect(x).toBeCloseTo(box.width - 48, 6);
});

test("ticks are round, inside, and few", () => {
  expect(ticks(-3.2, 4.1, 800)).toEqual([-3, -2, -1, 0, 1, 2, 3, 4]);
  expect(ticks(0, 0, 800)).toEqual([]);
  expect(ticks(0, 6300, 400).every((tick) => tick % 1000 === 0)).toBe(true);
});

test("the nearest row is the one that a search through all finds", () => {
  fc.assert(
    fc.property(
      places,
      fc.float({ min: -10, max: 10, noNaN: true }),
      fc.float({ min: -10, max: 10, noNaN: true }),
      (points, x, y) => {
        const xy = flat(points);
        const distance = (row: number) => Math.hypot((xy[2 * row]! - x) * view.kx, (xy[2 * row + 1]! - y) * view.ky);
        const rows = points.map((_, row) => row).filter((row) => distance(row) <= 100);
        const least = Math.min(...rows.map(distance));
        const found = placeIndex(xy).nearest(x, y, view, 100);
        if (rows.length === 0) expect(found).toBe(-1);
        else expect(distance(found)).toBeCloseTo(least, 6);
      },
    ),
  );
});

test("arrows go to the nearest row that lies that way", () => {
  const xy = flat(pairs("0 0, 1 0.1, 3 0, 0 2, -1 -5"));
  expect(rowTowards(xy, 0, "right", view)).toBe(1);
  expect(rowTowards(xy, 0, "up", view)).toBe(3);
  expect(rowTowards(xy, 0, "down", view)).toBe(4);
  expect(rowTowards(xy, 2, "right", view)).toBe(-1);
});

test("rows inside a loop", () => {
  const loop = pairs("0 0, 4 0, 4 4, 2 1, 0 4");
  expect(isInside(1, 1, loop)).toBe(true);
  expect(isInside(2, 3, loop)).toBe(false);
  expect(rowsInside(flat(pairs("1 1, 2 3, 9 9")), loop)).toEqual([0]);
  expect(rowsInside(flat([[1, 1]]), pairs("0 0, 1 1"))).toEqual([]);
});

test("every row is counted in the hexagon whose centre is nearest", () => {
  fc.assert(
    fc.property(fc.float({ min: -500, max: 500, noNaN: true }), fc.float({ min: -500, max: 500, noNaN: true }), (x, y) => {
      const centre = (column: number, line: number) =>
        [(column + (line & 1 ? 0.5 : 0)) * Math.sqrt(3) * HEXAGON, line * 1.5 * HEXAGON] as const;
      const [column, line] = cellAt(x, y);
      const [cx, cy] = centre(column, line);
      const own = Math.hypot(x - cx, y - cy);
      for (let dc = -2; dc <= 2; dc++)
        for (let dl = -2; dl <= 2; dl++) {
          const [ox, oy] = centre(column + dc, line + dl);
          expect(own).toBeLessThanOrEqual(Math.hypot(x - ox, y - oy) + 1e-6);
        }
    }),
  );
});

test("hexagons lose no row, and take the group that most of their rows are in", () => {
  const xy = flat(pairs("0 0, 0.001 0, 0 0.001, 5 5"));
  const steps = hexagonSteps(xy, Int32Array.of(1, 1, 0, 2), view, levelOf(view), tileOf(view, box, levelOf(view)));
  let step = steps.next();
  while (!step.done) step = steps.next();
  const counted = step.value;
  expect(counted.hexagons.reduce((sum, { count }) => sum + count, 0)).toBe(4);
  expect(counted.hexagons.map(({ count, slot }) => [count, slot]).sort()).toEqual([
    [1, 2],
    [3, 1],
  ]);
  expect(counted.most).toBe(3);
});

test("styles: colour and shape by group, flags for what is known, faded, hidden", () => {
  const groups = { kind: "clusters", groups: [], slots: Int32Array.of(0, 9, -1) } as const;
  const bytes = stylesOf(groups, { known: new Set([0]), strong: new Set([0, 1]), only: 0 });
  expect([bytes[0], bytes[1], bytes[2]]).toEqual([1, 0, KNOWN]);
  expect([bytes[STRIDE], bytes[STRIDE + 2]]).toEqual([2, HIDDEN]);
  expect(bytes[STRIDE + 1]).not.toBe(1);
  expect([bytes[2 * STRIDE], bytes[2 * STRIDE + 2]]).toEqual([0, FADED | HIDDEN]);
});

test("links are drawn between rows that are there; broken ones are marked", () => {
  const from = { kind: "drawn" } as const;
  const base = { entry: "entry-01", seq: 1, by: "me", at: "", from, counts: true };
  const known = [
    { ...base, constraint: { type: "must-link", a: 7, b: 8 } as const },
    { ...base, constraint: { type: "cannot-link", a: 7, b: 99 } as const },
    { ...base, constraint: { type: "relative", a: 7, b: 8, c: 9 } as const },
  ];
  const rowOf = new Map([
    ["7", 0],
    ["8", 1],
    ["9", 2],
  ]);
  const links = linksOf(known, rowOf, new Set(['["must-link","7","8"]']), () => "");
  expect(links.map(({ a, b, kind, broken }) => [a, b, kind, broken])).toEqual([
    [0, 1, "must", true],
    [0, 2, "relative", false],
    [1, 2, "relative", false],
  ]);
  expect([...knownRows(known, rowOf)].sort()).toEqual([0, 1, 2]);
  expect(pathOf([{ a: 0, b: 1 }], flat(pairs("1 2, 2 2")), view, box)).toBe("M400.0 300.0L450.0 300.0");
});

test("a bubble never lies over its own rows", () => {
  const xy = flat(pairs("1 2, 1.5 2.5, -3 4"));
  const size = { width: 304, height: 168 };
  const { left, top } = quietPlace(xy, [0, 1], view, box, size);
  for (const row of [0, 1]) {
    const [x, y] = toScreen(view, box, xy[2 * row]!, xy[2 * row + 1]!);
    expect(x > left && x < left + size.width && y > top && y < top + size.height).toBe(false);
  }
});

test("a third row joins only when it is meant to", () => {
  expect(pickedWith([1], 2, false)).toEqual([1, 2]);
  expect(pickedWith([1, 2], 3, false)).toEqual([3]);
  expect(pickedWith([1, 2], 3, true)).toEqual([1, 2, 3]);
  expect(pickedWith([1, 2], 2, false)).toEqual([1]);
});

test("the name of a group stands beside one of its rows, covers no mark, and stays there when the map is zoomed", () => {
  const xy = flat(pairs("6 0, 0 -6, 6 0.2, 0 -6.2, -7 0, -7 0.1"));
  const groups = [0, 1, 2].map((slot) => ({ slot, cluster: slot, letter: "ABC"[slot]!, name: "", size: 3 }));
  const slots = Int32Array.of(0, 0, 0, 0, 1, 1);
  const [a, b, none] = namePlaces({ kind: "clusters", groups, slots } as never, { xy, space: "features" });
  expect([slots[a!.row], slots[b!.row], none]).toEqual([0, 1, null]);
  const far = fit(boundsOf(xy), { width: 808, height: 780 }, true);
  for (const place of [a!, b!]) {
    const [x, y] = startOf(place, xy, far, { width: 808, height: 780 });
    for (let row = 0; row < 6; row++) {
      const [px, py] = toScreen(far, { width: 808, height: 780 }, xy[2 * row]!, xy[2 * row + 1]!);
      expect(px > x - 6 && px < x + 20 && py > y - 13 && py < y + 5).toBe(false);
    }
    const near = zoomed(far, box, 4);
    expect(startOf(place, xy, near, box)[0] - toScreen(near, box, xy[2 * place.row]!, 0)[0]).toBeCloseTo(place.dx, 6);
  }
});

test("names of axes are cut to the room that they have", () => {
  const long = "measure_with_a_very_long_name_in_millimetres";
  const axis = { title: `PC 2: ${long}, mass, ${long}`, share: 0.345 };
  expect(axisWords(axis, false, 200)).toBe("PC 2, 34.5%: measure_with…imetres, mass, measure_with…imetres →");
  expect(axisWords(axis, true, 60)).toBe("PC 2, 34.5% of the spread: measure_with…imetres, mass →");
  expect(axisWords(axis, false, 20)).toBe("PC 2, 34.5% →");
  expect(axisWords({ title: long, share: null }, false, 20).length).toBeLessThanOrEqual(20);
});

test("a bubble keeps off the names of groups", () => {
  const xy = flat(pairs("1 2, 1.2 2"));
  const size = { width: 304, height: 168 };
  const first = quietPlace(xy, [0, 1], view, box, size);
  const [x, y] = [first.left + 100, first.top + 80];
  const second = quietPlace(xy, [0, 1], view, box, size, [[x, y]]);
  expect(x > second.left && x < second.left + size.width && y > second.top && y < second.top + size.height).toBe(false);
});

test("some of many rows are rows of every kind, also where kinds come by turns; thousands of links are faint", () => {
  const kinds = new Set(Array.from({ length: 5_000 }, (_, i) => scattered(i, 60_000) % 12));
  expect(kinds.size).toBe(12);
  const links = (length: number) => ({ relative: [], cannot: [], must: Array.from({ length }) as never[] });
  expect([restOf(links(55)), restOf(links(1_200)), restOf(links(4_800))]).toEqual([1, 0.5, 0.25]);
});

test("thousands of links at rest leave the page's lines; those in hand and broken ones stay", () => {
  const links = Array.from({ length: 5_000 }, (_, i) => ({ a: i, b: i + 1, kind: "cannot", broken: i % 100 === 7 }) as never);
  expect([manyAtRest(links).length, manyAtRest(links.slice(0, 500)).length]).toEqual([4_950, 0]);
  const { cannot, near, broken } = layersOf(links, new Set([20]));
  expect([cannot.length, near.length, broken.length]).toEqual([0, 2, 50]);
  expect(layersOf(links.slice(0, 500), new Set()).cannot).toHaveLength(495);
});

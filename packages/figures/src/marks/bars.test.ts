import { expect, test } from "vitest";
import { barsFigure } from "./bars.js";

const drawn = barsFigure({
  title: "What they do",
  yLabel: "share",
  panels: [
    {
      title: "iris",
      groups: [
        {
          name: "CKM",
          bars: [
            { name: "help", value: 0.2, error: 0.05 },
            { name: "hurt", value: 0.1 },
          ],
        },
        {
          name: "PKM",
          bars: [
            { name: "help", value: 0.4 },
            { name: "hurt", value: Number.NaN },
          ],
        },
      ],
    },
  ],
});

test("a bar as high as its value, with its words", () => {
  const bars = [
    ...drawn.matchAll(/<rect x="[^"]+" y="([^"]+)" width="[^"]+" height="([^"]+)" fill="[^"]+"><title>([^<]+)<\/title>/g),
  ];
  expect(bars.map(([, , , text]) => text)).toEqual(["CKM, help: 0.2", "CKM, hurt: 0.1", "PKM, help: 0.4"]);
  const [first, second, third] = bars.map(([, , height]) => Number(height));
  expect(first! / second!).toBeCloseTo(2, 6);
  expect(third! / second!).toBeCloseTo(4, 6);
});

test("a missing value draws nothing, and nothing is NaN", () => {
  expect(drawn).not.toContain("NaN");
});

test("names of groups, series, panel and axis are there", () => {
  for (const word of ["CKM", "PKM", "help", "hurt", "iris", "↑ share"]) expect(drawn).toContain(`>${word}<`);
});

test("with a shared axis equal values are equally high in all panels, without it each panel fills its own", () => {
  const panelOf = (title: string, values: readonly number[]) => ({
    title,
    groups: [{ name: "CKM", bars: values.map((value, at) => ({ name: `bar ${at}`, value })) }],
  });
  const panels = [panelOf("small", [0.1]), panelOf("large", [0.1, 0.8])];
  const heights = (options: { readonly yDomain?: "shared" }): number[] => {
    const picture = barsFigure({ title: "Two panels", yLabel: "share", panels, ...options });
    return [...picture.matchAll(/height="([^"]+)" fill="[^"]+"><title>CKM, /g)].map(([, height]) => Number(height));
  };
  const [own, ...apart] = heights({});
  expect(own).toBeGreaterThan(apart[0]! * 2);
  const [first, second, third] = heights({ yDomain: "shared" });
  expect(first).toBeCloseTo(second!, 6);
  expect(third! / first!).toBeCloseTo(8, 6);
});

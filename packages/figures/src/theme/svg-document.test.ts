import { expect, test } from "vitest";
import { malformed } from "../testing/samples.js";
import { svg } from "./svg-document.js";

test("text and attributes are escaped, lengths rounded, undefined left out", () => {
  const drawn = svg(
    "g",
    { x: 1.23456, class: 'a"b', r: undefined, d: "M0.125 -0.001L1e-9 2" },
    svg("title", {}, "<script>"),
    "1.23456 & more",
  );
  expect(drawn.serialise()).toBe(
    '<g x="1.23" class="a&quot;b" d="M0.13 0L1e-9 2"><title>&lt;script&gt;</title>1.23456 &amp; more</g>',
  );
});

test("an element moves when it is appended elsewhere", () => {
  const child = svg("path", {});
  const first = svg("g", {}, child);
  const second = svg("g", {}, svg("rect", {}));
  second.insertBefore(child, second.childNodes[0] as typeof child);
  expect([first.serialise(), second.serialise()]).toEqual(["<g/>", "<g><path/><rect/></g>"]);
});

test("the checker of the other tests sees what is wrong", () => {
  expect(malformed("<a><b/></a>")).toBeNull();
  for (const wrong of ["<a>", "<a></b>", "<a>&</a>", '<a x="<"/>', "<a x='1'/>", "<a><</a>"])
    expect(malformed(wrong)).not.toBeNull();
});

import { expect, test } from "vitest";
import { blobs, reportOf } from "../testing/samples.js";
import { htmlReport } from "./report-html.js";
import { withoutFolders } from "./shareable.js";

test.each([
  ["/home/ann/tables/sales.csv: ; separates the cells.", "sales.csv: ; separates the cells."],
  ["coterie cluster /data/x.csv --html=/tmp/a/b.html", "coterie cluster x.csv --html=b.html"],
  ["'/home/ann/x.csv' and ~/y/z.csv", "'x.csv' and z.csv"],
  ["C:\\Users\\ann\\x.csv, C:/Users/ann/y.csv, file:///home/ann/z.csv", "x.csv, y.csv, z.csv"],
  ["0 or 1/√2 for each level; and/or; a / b; 10 km/h", "0 or 1/√2 for each level; and/or; a / b; 10 km/h"],
  ["data/x.csv and ../known.csv stay", "data/x.csv and ../known.csv stay"],
  ["https://example.org/a/b", "https://example.org/a/b"],
])("%s", (text, shown) => {
  expect(withoutFolders(text)).toBe(shown);
});

test("folders with spaces go too where the path is known", () => {
  expect(withoutFolders("/home/ann lee/my data/x.csv: fine", ["/home/ann lee/my data/x.csv"])).toBe("x.csv: fine");
});

test("a page shows no folder of a machine: notices, options, command", () => {
  const { points, labels } = blobs(30, 2, 2);
  const report = reportOf(points, labels, {
    notices: ["/home/ann lee/x.csv has 2 empty lines.", "/secret/place/known.csv was made from /secret/other.csv."],
    options: { init: "/secret/centres.csv" },
  });
  const page = htmlReport({
    report,
    instances: points,
    command: "coterie cluster '/secret/place/a.csv'",
    files: ["/home/ann lee/x.csv"],
  });
  expect(page).not.toMatch(/ann|secret/);
  for (const name of ["x.csv has 2", "known.csv was made from other.csv", "centres.csv", "coterie cluster &#39;a.csv&#39;"])
    expect(page).toContain(name);
});

/** Weights and names at the ends of what files can hold. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { coterie, folderWith } from "./testing/console.js";

const LINE = ["x,y", ...Array.from({ length: 12 }, (_, i) => `${i},${(5 * i) % 12}`), ""].join("\n");

describe("hard constraints that cannot be kept", () => {
  const folder = folderWith({
    "t.csv": LINE,
    "contradiction.csv": "type,a,b,weight\nmust-link,0,1,inf\nmust-link,1,2,inf\ncannot-link,0,2,inf\n",
    "triangle.csv": "type,a,b,weight\ncannot-link,0,1,inf\ncannot-link,1,2,inf\ncannot-link,0,2,inf\n",
    "classes.csv": "type,a,b,c,weight\nlabel,0,A,,inf\nlabel,5,B,,inf\nlabel,9,C,,inf\n",
    "clash.csv": "type,a,b,c,weight\nrelative,0,1,2,inf\nrelative,0,2,1,inf\n",
    "softer-clash.csv": "type,a,b,c,weight\nrelative,0,1,2,inf\nrelative,0,2,1,2\n",
    "softer.csv": "type,a,b,weight\nmust-link,0,1,inf\nmust-link,1,2,1\ncannot-link,0,2,inf\n",
  });
  const methods = ["pck-means", "mk-means", "mpck-means", "supervised-means", "rca-kmeans", "clusilc"];
  const run = (algorithm: string, set: string, ...more: string[]) => {
    const known = ["--constraints", join(folder, set)];
    return coterie("cluster", join(folder, "t.csv"), "-k", "2", "--algorithm", algorithm, ...known, ...more, "--json");
  };

  test.each(methods)("%s: exit 4, and diagnose is named", async (algorithm) => {
    for (const [set, code] of [
      ["contradiction.csv", "contradiction"],
      ["triangle.csv", "infeasible"],
      ["classes.csv", "infeasible"],
    ] as const) {
      const printed = await run(algorithm, set);
      expect([set, printed.code]).toEqual([set, 4]);
      expect(JSON.parse(printed.out).error.code).toBe(code);
      expect(printed.err).toContain("coterie diagnose");
    }
    expect((await run(algorithm, "softer.csv")).code).toBe(0);
  });

  test.each([["svm-kmeans"], ["kmeans", "--learned-metric", "svm"]])(
    "%s %s %s: a clash of relative constraints is exit 4",
    async (algorithm, ...more) => {
      const printed = await run(algorithm!, "clash.csv", ...more);
      expect(printed.code).toBe(4);
      expect(JSON.parse(printed.out).error.code).toBe("inconsistent");
      expect((await run(algorithm!, "softer-clash.csv", ...more)).code).toBe(0);
    },
  );
});

test.each(["pck-means", "mk-means", "clusilc"])("%s: weights whose sum is no number get a notice", async (algorithm) => {
  const folder = folderWith({
    "t.csv": LINE,
    "big.csv":
      "type,a,b,weight\nmust-link,0,11,1e308\nmust-link,1,10,1e308\nmust-link,2,9,1e308\ncannot-link,3,4,1e308\ncannot-link,3,5,1e308\n",
  });
  const line = ["cluster", join(folder, "t.csv"), "-k", "2", "--scale", "none", "--algorithm", algorithm];
  const { code, out, err } = await coterie(...line, "--constraints", join(folder, "big.csv"), "--json");
  expect(code, err).toBe(0);
  const report = JSON.parse(out);
  const said = report.notices.some((notice: string) => notice.includes("larger than any number"));
  expect(said).toBe(report.objective === null);
  expect(report.objective).toBeNull();
});

describe("names that objects of the language have", () => {
  const NAMES = [
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "valueOf",
    "prototype",
    "__defineGetter__",
    "length",
    "0",
  ];
  const rows = NAMES.map((name, i) => `${name},${i},${(i * 4) % 9},${NAMES[i % 3]},${NAMES[(i >> 1) % 9]}`);
  const folder = folderWith({
    "t.csv": ["id,__proto__,constructor,toString,hasOwnProperty", ...rows, ""].join("\n"),
    "known.csv":
      "type,a,b\nmust-link,__proto__,valueOf\ncannot-link,__proto__,toString\nlabel,valueOf,__proto__\nlabel,length,constructor\n",
  });
  const [table, known] = [join(folder, "t.csv"), join(folder, "known.csv")];
  const roles = ["--id", "id", "--truth", "toString", "--exclusive", "hasOwnProperty"];

  test.each(["pck-means", "cop-kmeans", "ccl", "clusilc"])(
    "cluster, predict, evaluate and explain after %s",
    async (algorithm) => {
      const at = (name: string) => join(folder, `${algorithm}-${name}`);
      const model = algorithm === "ccl" ? [] : ["--model", at("model.json")];
      const outputs = ["--out", at("labels.csv"), "--html", at("page.html"), ...model];
      const line = ["cluster", table, "-k", "4", "--algorithm", algorithm, "--constraints", known, ...roles];
      const { code, out, err } = await coterie(...line, ...outputs, "--json");
      expect(code, err).toBe(0);
      const report = JSON.parse(out);
      expect(report.features).toEqual(["__proto__", "constructor"]);
      expect(report.labels).toHaveLength(9);
      const ids = readFileSync(at("labels.csv"), "utf8").trim().split("\n").slice(1);
      expect(ids.map((each) => each.split(",")[0])).toEqual(NAMES);
      const scored = await coterie("evaluate", at("labels.csv"), "--data", table, ...roles, "--constraints", known, "--json");
      expect(JSON.parse(scored.out)).toMatchObject({ scores: report.scores, violations: report.violations });
      if (model.length > 0) {
        const placed = await coterie("predict", at("model.json"), table, "--id", "id", "--json");
        expect(placed.code, placed.err).toBe(0);
      }
      const printed = await coterie("explain", at("labels.csv"), "--data", table, ...roles, "--json");
      expect(printed.code, printed.err).toBe(0);
    },
  );

  test("diagnose places every row that is kept apart", async () => {
    const { code, out } = await coterie("diagnose", table, ...roles, "--constraints", known, "-k", "4", "--json");
    expect(code).toBe(0);
    const { proof, components, points } = JSON.parse(out);
    expect(components).toEqual([{ members: ["__proto__", "valueOf"] }]);
    expect(Object.keys(proof.colouring).sort()).toEqual(NAMES.slice(0, 8).sort());
    expect(points.map(({ id }: { id: unknown }) => id)).toContain("__proto__");
  });

  test("JSON lines and columns keep them as well", async () => {
    const lines = NAMES.map((name, i) => `{"id":"${name}","__proto__":${i},"constructor":${(i * 4) % 9}}`);
    const own = folderWith({
      "t.jsonl": `${lines.join("\n")}\n`,
      "known.jsonl": '{"type":"cannot-link","a":"__proto__","b":"toString"}\n',
    });
    const line = ["cluster", join(own, "t.jsonl"), "--id", "id", "-k", "2", "--constraints", join(own, "known.jsonl"), "--json"];
    const { code, out, err } = await coterie(...line, "--algorithm", "cop-kmeans");
    expect(code, err).toBe(0);
    const { features, labels } = JSON.parse(out);
    expect(features).toEqual(["__proto__", "constructor"]);
    expect(labels[0]).not.toBe(labels[2]);
  });
});

import { describe, expect, test } from "vitest";
import * as z from "zod";
import { checkedOptions } from "./options.js";

const SCHEMA = z.strictObject({
  share: z.number().min(0).lt(1).default(0),
  cost: z.number().positive().default(1),
  rounds: z.int().min(1).max(9).default(2),
  how: z.enum(["one", "two"]).default("one"),
});

describe("what is wrong with an option", () => {
  test.each([
    [{ share: 1 }, "share is 1; it must be below 1."],
    [{ share: -1 }, "share is -1; it must be at least 0."],
    [{ cost: 0 }, "cost is 0; it must be above 0."],
    [{ rounds: 10 }, "rounds is 10; it must be at most 9."],
    [{ rounds: 1.5 }, "rounds is 1.5; it must be a whole number."],
    [{ rounds: "x" }, 'rounds is "x"; it must be a number.'],
    [{ how: "three" }, 'how is "three"; it must be one of one, two.'],
    [{ other: 1 }, "other is 1; it must be left out: the method has no such option."],
  ])("%j", (options, sentence) => {
    expect(() => checkedOptions(SCHEMA, options)).toThrow(sentence);
  });
});

test("fills in defaults", () => {
  expect(checkedOptions(SCHEMA, { rounds: 3 })).toEqual({ share: 0, cost: 1, rounds: 3, how: "one" });
});

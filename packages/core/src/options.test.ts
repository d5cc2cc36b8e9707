import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { atLeast, checkedOptions, oneOf, positive, whole } from "./options.js";

const SCHEMA = z.strictObject({
  share: z._default(atLeast(0).check(z.lt(1)), 0),
  cost: z._default(positive(), 1),
  rounds: z._default(whole(1).check(z.lte(9)), 2),
  how: oneOf(["one", "two"]),
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

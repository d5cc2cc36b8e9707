import fc from "fast-check";
import { expect, test } from "vitest";
import { nearDifference, textDifference } from "./text-difference.js";

/** The text with different pieces in brackets. */
function marked(text: string, other: string): string {
  return textDifference(text, other)
    .map((piece) => (piece.same ? piece.text : `[${piece.text}]`))
    .join("");
}

test("differences, by hand", () => {
  expect(marked("Meyer", "Meier")).toBe("Me[y]er");
  expect(marked("Anna Meyer", "Anna Meyer-Koch")).toBe("Anna Meyer");
  expect(marked("kof.sauer74@web", "kofi.sauer@web")).toBe("kof.sauer[74]@web");
  expect(marked("abc", "xyz")).toBe("[abc]");
  expect(marked("", "x")).toBe("");
});

test("marked only where texts resemble each other", () => {
  expect(nearDifference("Meyer", "Meyer")).toBeNull();
  expect(nearDifference("Berlin", "Zurich")).toBeNull();
  expect(nearDifference("Meye", "Meyer")).toBeNull();
  expect(nearDifference("Meyer", "Meye")).toEqual([
    { text: "Meye", same: true },
    { text: "r", same: false },
  ]);
});

test("the pieces make up the text, and the same letters occur in the other text in this order", () => {
  const short = fc.string({ unit: fc.constantFrom("a", "b", "c", "😀"), maxLength: 12 });
  fc.assert(
    fc.property(short, short, (text, other) => {
      const pieces = textDifference(text, other);
      expect(pieces.map((piece) => piece.text).join("")).toBe(text);
      let at = 0;
      for (const letter of pieces.filter(({ same }) => same).flatMap((piece) => [...piece.text])) {
        at = [...other].indexOf(letter, at) + 1;
        expect(at).toBeGreaterThan(0);
      }
      const back = textDifference(other, text).reduce((sum, piece) => sum + (piece.same ? [...piece.text].length : 0), 0);
      expect(pieces.reduce((sum, piece) => sum + (piece.same ? [...piece.text].length : 0), 0)).toBe(back);
    }),
  );
});

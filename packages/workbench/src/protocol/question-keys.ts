/** The keyboard keys for answers. They are the same in the terminal and in the studio; help texts, hints and key handlers use this list. */

export interface QuestionKey {
  readonly key: string;
  readonly word: string;
  readonly does: string;
}

export const QUESTION_KEYS = {
  same: { key: "s", word: "same", does: "the two rows belong together" },
  different: { key: "d", word: "different", does: "the two rows belong apart" },
  unsure: { key: "k", word: "don't know", does: "keeps that you do not know; this question does not come again" },
  undo: { key: "u", word: "undo", does: "takes the last answer back; Ctrl Z does the same" },
  help: { key: "?", word: "help", does: "shows all keys and answers nothing" },
  stop: { key: "q", word: "stop", does: "ends the questions; every answer is kept" },
} as const satisfies Readonly<Record<string, QuestionKey>>;

/**
 * The keys for a question about three rows. The key "a" means: the first row is least like the other two. The digits 1, 2, 3 do the same.
 */
export const ODD_KEYS = ["a", "b", "c"] as const;
export const ODD_WORD = "the odd one";

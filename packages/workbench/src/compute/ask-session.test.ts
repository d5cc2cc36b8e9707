import {
  CoterieError,
  drive,
  emptyConstraints,
  type Instances,
  idOf,
  pointsFromRows,
  type Session,
  type Steps,
  startAsking,
} from "@coterie/core/internal";
import { expect, test } from "vitest";
import type { ActiveConstraint } from "../log/constraint-log.js";
import { constraintOf } from "../protocol/answers.js";
import { Dialogue, type Driving, LiveSession } from "./ask-session.js";

const POINTS: Instances = pointsFromRows([[0], [1], [5], [6], [10], [11]]);
const driving: Driving = (steps) => drive(steps, { pause: async () => {} });

/** A live session over a session of core whose answers pass `before`. */
function live(before: (answer: string) => void = () => {}) {
  const session = startAsking({ points: POINTS, strategy: "explore-consolidate", k: 3 });
  const watched: Session = {
    get asked() {
      return session.asked;
    },
    next: () => session.next(),
    answer: (answer) => session.answer(answer),
    *answerSteps(answer): Steps<void> {
      before(answer);
      yield* session.answerSteps(answer);
    },
    undo: () => session.undo(),
    result: () => session.result(),
    resultSteps: () => session.resultSteps(),
  };
  const rows = Int32Array.from({ length: POINTS.n }, (_, row) => row);
  const opened = { dialogue: new Dialogue(watched, () => false), points: POINTS, rows, given: emptyConstraints(POINTS.n) };
  return { session, live: new LiveSession({ ...opened, evidence: null }, [], [], null) };
}

/** The answer to the present question of a session, as a constraint that counts. */
function answered(entry: string, { session }: { session: Session }, answer: "same" | "different" | "unsure"): ActiveConstraint {
  const ids = session.next()!.ask.map((row) => idOf(POINTS, row));
  return { entry, constraint: constraintOf("pair", ids, answer)!, asked: true };
}

test("a session takes answers, takes them back, and stands for the constraints that it took", async () => {
  const each = live();
  const first = answered("first", each, "different");
  expect(await each.live.follow([first], driving, "first")).toBe(true);
  const second = answered("second", each, "unsure");
  expect(await each.live.follow([first, second], driving, null)).toBe(true);
  expect([each.live.taken, each.session.asked, each.live.standsFor([first, second])]).toEqual([2, 2, true]);
  expect(await each.live.follow([first], driving, null)).toBe(true);
  expect([each.live.taken, each.session.asked]).toEqual([1, 1]);
  // An answer to another question than the present one needs a new session.
  const other = { ...second, constraint: { ...first.constraint } };
  expect(await each.live.follow([first, other], driving, null)).toBe(false);
});

test("an answer that was revised is another answer: the session takes the old one back first", async () => {
  const each = live();
  const first = answered("first", each, "different");
  await each.live.follow([first], driving, null);
  const { a, b } = first.constraint as { a: number; b: number };
  const revised = { ...first, constraint: constraintOf("pair", [a, b], "same")! };
  expect(await each.live.follow([revised], driving, null)).toBe(true);
  expect([each.session.asked, each.live.standsFor([first]), each.live.standsFor([revised])]).toEqual([1, false, true]);
});

test("the newest answer throws if the session cannot take it; an older one, taken again, asks for a new session", async () => {
  let refused = "same";
  const each = live((answer) => {
    if (answer === refused) throw new CoterieError({ code: "gave-up", message: "no way to k clusters" });
  });
  const first = answered("first", each, "different");
  await each.live.follow([first], driving, "first");
  const second = answered("second", each, "same");
  await expect(each.live.follow([first, second], driving, "second")).rejects.toThrow("no way");
  expect([each.live.taken, each.live.standsFor([first])]).toEqual([1, true]);
  refused = "";
  expect(await each.live.follow([first, second], driving, "second")).toBe(true);
  refused = "same";
  expect(await each.live.follow([first], driving, null)).toBe(true);
  expect(await each.live.follow([first, second], driving, null)).toBe(false);
});

test("a session that is interrupted stands for the answers before, and takes the answer later", async () => {
  let interrupted = true;
  const each = live(() => {
    if (interrupted) throw new Error("interrupted");
  });
  const first = answered("first", each, "different");
  await expect(each.live.follow([first], driving, null)).rejects.toThrow("interrupted");
  expect([each.session.asked, each.live.taken]).toEqual([0, 0]);
  interrupted = false;
  expect(await each.live.follow([first], driving, null)).toBe(true);
  expect(each.session.asked).toBe(1);
});

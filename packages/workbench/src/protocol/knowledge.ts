/**
 * The log of constraints. Entries are only appended. If a user drops, weighs or undoes a constraint, an entry is appended too, so nothing
 * is lost.
 */
import { z } from "zod";
import { ODD_KEYS } from "./question-keys.js";
import { entryId, errorRate, name, rowId, time, weight } from "./words.js";

/** A constraint that a user gave. It names rows by their ids, so that the log stays valid when the columns of the table change. */
export const constraint = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("must-link"), a: rowId, b: rowId, weight: weight.optional() }),
  z.strictObject({ type: z.literal("cannot-link"), a: rowId, b: rowId, weight: weight.optional() }),
  z
    .strictObject({ type: z.literal("relative"), a: rowId, b: rowId, c: rowId, weight: weight.optional() })
    .meta({ description: "a and b are closer to each other than either is to c" }),
  z.strictObject({ type: z.literal("label"), a: rowId, class: name, weight: weight.optional() }),
  z
    .strictObject({ type: z.literal("unsure"), rows: z.array(rowId).min(2).max(3) })
    .meta({ description: "somebody was asked about these rows and did not know" }),
  z
    .strictObject({ type: z.literal("exclusive"), column: name })
    .meta({ description: "no cluster holds two rows with the same value in this column" }),
  z
    .strictObject({ type: z.literal("sizes"), min: z.int().min(0).optional(), max: z.int().min(1).optional() })
    .meta({ description: "fewest and most rows in a cluster; the newest counts" }),
]);

export type Constraint = z.infer<typeof constraint>;

export const provenance = z.strictObject({
  /** The program that gave the answer; absent if a person gave it. */
  program: z.string().optional(),
  confidence: z.number().min(0).max(1).optional(),
  why: z.string().optional(),
  /** If several people or programs were asked: for each answer, how many of them gave it. */
  votes: z.record(z.string(), z.int().min(1)).optional(),
  /** Present if the answer was taken from memory: the same question, about rows with the same content, was answered before. */
  remembered: z.literal(true).optional(),
  /** The probability that the answer is wrong. If present, other answers can outweigh this answer. */
  evidence: errorRate.optional(),
  /** The answer as it was given. Present if it was refused as contradictory. The stored constraint is then "unsure". */
  said: z.string().optional(),
});

export type Provenance = z.infer<typeof provenance>;

export const origin = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("drawn") }).meta({ description: "picked on the map or typed" }),
  z.strictObject({
    kind: z.literal("asked"),
    strategy: name,
    number: z.int().min(1),
    /** For a question about three rows: the place of the odd row in the question. */
    odd: z.enum(ODD_KEYS).optional(),
    ...provenance.shape,
  }),
  z.strictObject({ kind: z.literal("file"), file: name, line: z.int().min(1).optional() }),
  z.strictObject({ kind: z.literal("advice") }).meta({ description: "a button of the diagnosis" }),
]);

export const change = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("add"), constraint }),
  z.strictObject({ type: z.literal("drop"), entry: entryId }),
  z.strictObject({ type: z.literal("weigh"), entry: entryId, weight }),
  z
    .strictObject({ type: z.literal("revise"), entry: entryId, constraint })
    .meta({ description: "says something else about the same rows; later entries stay" }),
  z.strictObject({ type: z.literal("undo"), entry: entryId }).meta({ description: "takes an entry back" }),
  z.strictObject({ type: z.literal("redo"), entry: entryId }).meta({ description: "brings an undone entry back" }),
]);

export const newEntry = z.strictObject({ id: entryId, by: name, from: origin, change });

export const entry = newEntry.extend({ seq: z.int().min(1), at: time });

export type NewEntry = z.infer<typeof newEntry>;
export type Entry = z.infer<typeof entry>;

/** Which constraint counts if two people contradict each other about the same rows: the latest, the heavier, or neither of the two. */
export const policy = z.enum(["latest", "heavier", "neither"]);
export type Policy = z.infer<typeof policy>;

export const standing = z.object({
  entry: entryId,
  seq: z.int(),
  constraint,
  by: name,
  at: time,
  from: origin,
  /** Whether the constraint counts. If not, `because` gives the reason: another person contradicts it, or a row is not in the table. */
  counts: z.boolean(),
  because: z.string().optional(),
});

export const disagreement = z.object({ entries: z.array(entryId).min(2), sentence: z.string(), counts: entryId.nullable() });

export const knowledge = z.object({
  upTo: z.int().min(0).meta({ description: "the newest entry that is counted in" }),
  constraints: z.array(standing),
  disagreements: z.array(disagreement),
  undo: entryId.nullable(),
  redo: entryId.nullable(),
});

export type Standing = z.infer<typeof standing>;
export type Disagreement = z.infer<typeof disagreement>;
export type KnowledgeReply = z.infer<typeof knowledge>;

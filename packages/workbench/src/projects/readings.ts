/** How tables are read: the first reading, with recognised roles, and the reading after a change. */
import type { TableFacts } from "../compute/tasks.js";
import { type Reading, type ReadingChange, reading as readingSchema } from "../protocol/projects.js";

const ROLES = ["id", "truth"] as const;

/** The first reading of a table. A null role means that no column has it; an undefined role is recognised from the data. */
export function firstReading(named: ReadingChange): Reading {
  const open = named.features === undefined ? ROLES.filter((role) => named[role] === undefined) : [];
  return { ...changedReading(readingSchema.parse({}), named), ...(open.length > 0 ? { recognise: open } : {}) };
}

/**
 * The reading that a new project stores: it names the recognised roles. If the user wants no id column, it lists the features, so that no
 * id is looked for later.
 */
export function settledReading({ reading, features }: TableFacts, { id }: ReadingChange): Reading {
  const { recognise = [], ...rest } = reading;
  const found = recognise.filter((role) => reading[role] !== undefined);
  const named = id === null && rest.features === undefined ? { features: [...features] } : {};
  return { ...rest, ...named, ...(found.length > 0 ? { recognise: found } : {}) };
}

/**
 * The reading after a change: null removes a role; fields that are not named keep their value. A role that a user gives to another column
 * no longer counts as recognised.
 */
export function changedReading({ recognise = [], ...reading }: Reading, change: ReadingChange): Reading {
  const kept = recognise.filter((role) => change[role] === undefined || change[role] === reading[role]);
  const all = Object.entries({ ...reading, ...(kept.length > 0 ? { recognise: kept } : {}), ...change }).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return readingSchema.parse(Object.fromEntries(all));
}

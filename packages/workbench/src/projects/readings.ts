/** Decides how tables are read: the first reading of a new table, and the reading after a change by the user. */
import type { TableFacts } from "../compute/tasks.js";
import { type Reading, type ReadingChange, reading as readingSchema } from "../protocol/projects.js";

const ROLES = ["id", "truth"] as const;

/**
 * The reading for a new table. If a role is undefined in `named`, it is recognised from the data. If it is null in `named`, no column has
 * this role.
 */
export function firstReading(named: ReadingChange): Reading {
  const open = named.features === undefined ? ROLES.filter((role) => named[role] === undefined) : [];
  return { ...changedReading(readingSchema.parse({}), named), ...(open.length > 0 ? { recognise: open } : {}) };
}

/**
 * The reading that is stored with a new project. It names the columns whose roles were recognised. If the user wants no id column, it lists
 * the features: then no column is recognised as ids later.
 */
export function settledReading({ reading, features }: TableFacts, { id }: ReadingChange): Reading {
  const { recognise = [], ...rest } = reading;
  const found = recognise.filter((role) => reading[role] !== undefined);
  const named = id === null && rest.features === undefined ? { features: [...features] } : {};
  return { ...rest, ...named, ...(found.length > 0 ? { recognise: found } : {}) };
}

/**
 * The reading after a change. Absent fields keep their value. Null removes a role. If a user gives a role to another column, the role no
 * longer counts as recognised.
 */
export function changedReading({ recognise = [], ...reading }: Reading, change: ReadingChange): Reading {
  const kept = recognise.filter((role) => change[role] === undefined || change[role] === reading[role]);
  const all = Object.entries({ ...reading, ...(kept.length > 0 ? { recognise: kept } : {}), ...change }).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return readingSchema.parse(Object.fromEntries(all));
}

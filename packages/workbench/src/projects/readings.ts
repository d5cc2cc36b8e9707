/** How tables are read: first, with the roles that were recognised, and after a change. */
import type { TableFacts } from "../compute/tasks.js";
import { type Reading, type ReadingChange, reading as readingSchema } from "../protocol/projects.js";

const ROLES = ["id", "truth"] as const;

/** The reading of a table that was never read before. A role that is null is wanted for no column; a role that is open is recognised. */
export function firstReading(named: ReadingChange): Reading {
  const open = named.features === undefined ? ROLES.filter((role) => named[role] === undefined) : [];
  return { ...changedReading(readingSchema.parse({}), named), ...(open.length > 0 ? { recognise: open } : {}) };
}

/** The reading of a new project names the roles that were recognised. Where no column is wanted as the id, it names the features, so that nobody looks for one. */
export function settledReading({ reading, features }: TableFacts, { id }: ReadingChange): Reading {
  const { recognise = [], ...rest } = reading;
  const found = recognise.filter((role) => reading[role] !== undefined);
  const named = id === null && rest.features === undefined ? { features: [...features] } : {};
  return { ...rest, ...named, ...(found.length > 0 ? { recognise: found } : {}) };
}

/** The reading after a change: null takes a role away; what is not named stays. A role that somebody gives to another column was not recognised any more. */
export function changedReading({ recognise = [], ...reading }: Reading, change: ReadingChange): Reading {
  const kept = recognise.filter((role) => change[role] === undefined || change[role] === reading[role]);
  const all = Object.entries({ ...reading, ...(kept.length > 0 ? { recognise: kept } : {}), ...change }).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return readingSchema.parse(Object.fromEntries(all));
}

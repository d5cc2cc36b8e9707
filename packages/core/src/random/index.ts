export { makePeople, type PersonRecord } from "./people.js";
export { type Random, randomFrom } from "./random.js";
export { makeSynthetic, SYNTHETIC_SETS, type SyntheticSet } from "./synthetic.js";

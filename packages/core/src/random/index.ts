export { type Random, randomFrom } from "./random.js";
export { makePeople, makeSynthetic, type PersonRecord, SYNTHETIC_SETS, type SyntheticSet } from "./synthetic.js";

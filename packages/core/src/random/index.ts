export { type Random, randomFrom } from "./random.js";

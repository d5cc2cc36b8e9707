export { type Answer, answerFromLabels, type Dialogue, type Question, replay } from "./dialogue.js";
export { type DriveOptions, drain, drive, type Step, type Steps } from "./steps.js";

export {
  type Answer,
  answerFromLabels,
  type Dialogue,
  type PairAnswer,
  type PairQuestion,
  type Question,
  type QuestionAnswer,
  replay,
  type TripletAnswer,
  type TripletQuestion,
  trueAnswer,
} from "./dialogue.js";
export { type DriveOptions, drain, drive, type Step, type Steps } from "./steps.js";

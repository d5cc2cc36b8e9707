/** `coterie/ask`: the next question that is worth a person's time. */
export { askFromLabels, type Question, type Session, startAsking, strategies } from "@coterie/core/internal";

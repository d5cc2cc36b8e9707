/** `coterie/ask`: sessions that choose the most useful question about rows. */
export { askFromLabels, type Question, type Session, startAsking, strategies } from "@coterie/core/internal";

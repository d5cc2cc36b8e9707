/** Changes the reading of the table when the user accepts an offer, such as "Read NAME as numbers". */
import type { ColumnReply, Reading, ReadingChange } from "@coterie/workbench/protocol";
import { withRole, withTransform, withType } from "../state/reading.js";
import type { Offer } from "../state/spoken.js";
import { useSession } from "./context.js";

export function readingOf(offer: Offer, reading: Reading, columns: readonly ColumnReply[]): ReadingChange {
  if (offer.kind === "role") return withRole(reading, columns, offer.column, offer.role);
  if (offer.kind === "type") return { types: withType(reading, offer.column, offer.type) };
  if (offer.kind === "transform") return { transforms: withTransform(reading, offer.column, "none") };
  return offer.kind === "missing" ? { missing: offer.missing } : { scale: offer.scale };
}

export function useOffers(): (offer: Offer) => void {
  const { actions, store } = useSession();
  return (offer) => {
    const { project, columns } = store.get();
    void actions.change({ reading: readingOf(offer, project.reading, columns) });
  };
}

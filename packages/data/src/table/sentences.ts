/** Parts of sentences in messages: quoting, counting, listing. */

import { withEnd } from "@coterie/core/internal";

export { counted, quoted, withEnd } from "@coterie/core/internal";

export function listed(names: readonly string[], most = 12): string {
  const shown = names.slice(0, most).map(withEnd);
  return names.length > most ? `${shown.join(", ")} and ${names.length - most} more` : shown.join(", ");
}

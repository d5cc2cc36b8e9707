/** Klein, Kamvar, Manning: From Instance-level Constraints to Space-Level Constraints. ICML 2002. */
import type { Paper } from "../experiment.js";
import { figure8, figure9, figure11 } from "./figures.js";
import { figure12 } from "./outliers.js";
import { promises } from "./promises.js";

export const klein2002: Paper = {
  name: "klein2002",
  title: "Klein, Kamvar and Manning (2002): From Instance-level Constraints to Space-Level Constraints",
  figures: [figure8, figure9, figure11, figure12, promises],
};

/** Klein, Kamvar, Manning: From Instance-level Constraints to Space-Level Constraints. ICML 2002. */
import type { Paper } from "../frame/paper.js";
import { figure11 } from "./figure-11.js";
import { figure12 } from "./figure-12.js";
import { figure8, figure9 } from "./figures.js";
import { keptPage } from "./kept.js";

export const klein2002: Paper = {
  name: "klein2002",
  title: "Klein, Kamvar and Manning (2002): From Instance-level Constraints to Space-Level Constraints",
  pages: [figure8, figure9, figure11, figure12, keptPage],
};

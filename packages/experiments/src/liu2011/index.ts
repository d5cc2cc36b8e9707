/** Liu, Zhang, Wang (2011): the figures of section 5, and what we add: noise, and questions. */
import type { Paper } from "../experiment.js";
import { figure2 } from "./figure-2.js";
import { figure3 } from "./figure-3.js";
import { figure4 } from "./figure-4.js";
import { figure5 } from "./figure-5.js";
import { noise } from "./noise.js";
import { questions } from "./questions.js";

export const liu2011: Paper = {
  name: "liu2011",
  title: "Liu, Zhang and Wang (2011): Clustering with Relative Constraints",
  figures: [figure2, figure3, figure4, figure5, noise, questions],
};

/** Liu, Zhang, Wang (2011): the figures of section 5, dead ends, and our additions: noise and questions. */
import type { Paper } from "../frame/paper.js";
import { deadEndPage } from "./dead-ends.js";
import { figure2, figure3, figure4, figure5 } from "./figures.js";
import { noisePage } from "./noise.js";
import { questionPage } from "./questions.js";

export const liu2011: Paper = {
  name: "liu2011",
  title: "Liu, Zhang and Wang (2011): Clustering with Relative Constraints",
  pages: [figure2, figure3, figure4, figure5, deadEndPage, noisePage, questionPage],
};

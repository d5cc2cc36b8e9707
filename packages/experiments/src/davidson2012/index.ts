/** Davidson: Two Approaches To Understanding When Constraints Help Clustering. KDD 2012. */
import type { Paper } from "../frame/paper.js";
import { figure3 } from "./figure-3.js";
import { figure4 } from "./figure-4.js";
import { figure5 } from "./figure-5.js";
import { figure6 } from "./figure-6.js";
import { figure7 } from "./figure-7.js";
import { samplerPage } from "./sampler.js";
import { table1 } from "./table-1.js";

export const davidson2012: Paper = {
  name: "davidson2012",
  title: "Davidson (2012): Two Approaches To Understanding When Constraints Help Clustering",
  pages: [table1, figure3, figure4, figure5, figure6, figure7, samplerPage],
};

/** The list of all experiments, by paper. */
import { baselines } from "./baselines/index.js";
import { bilenko2004 } from "./bilenko2004/index.js";
import { davidson2012 } from "./davidson2012/index.js";
import type { Paper } from "./frame/paper.js";
import { klein2002 } from "./klein2002/index.js";
import { liu2011 } from "./liu2011/index.js";
import { pccc2024 } from "./pccc2024/index.js";
import { struyf2006 } from "./struyf2006/index.js";

export const papers: readonly Paper[] = [baselines, klein2002, davidson2012, liu2011, bilenko2004, struyf2006, pccc2024];

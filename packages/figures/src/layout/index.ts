/** Positions, shapes and number formats, as pure functions that both the figures and the studio use. */
export { linkStrength } from "./constraint-links.js";
export * as dendrogram from "./dendrogram.js";
export { placeLabels } from "./labels.js";
export { colourOf, shapeOf, shapePath } from "./shapes.js";
export { counted, cutMiddle, formatCount, formatFixed, formatValue, roundStep, textWidth } from "./text.js";
export { nearDifference, type TextPiece } from "./text-difference.js";
export { treeLayout } from "./tree.js";

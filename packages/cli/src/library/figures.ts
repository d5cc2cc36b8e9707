/** `coterie/figures`: a result in, SVG or one HTML file out. */
export { clusterTreeFigure, dendrogramFigure, htmlReport, scatterFigure } from "@coterie/figures";

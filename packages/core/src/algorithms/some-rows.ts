import { gatherRows, type Instances, idOf, rowValues } from "../model/points.js";
import { selectDistances } from "./given-distances.js";

/** A table of the given rows, in the given order. Without known classes and exclusive groups. */
export function someRows(points: Instances, rows: Int32Array): Instances {
  const { d } = points;
  const { nominal, texts, textDimensions, names, levels, scaling, weights, rowWeights, directions, holes, underMetric } = points;
  const { notations, distances, holeFills, scaleGiven, file } = points;
  return {
    n: rows.length,
    d,
    x: gatherRows(rowValues(points), d, rows),
    ids: Array.from(rows, (row) => idOf(points, row)),
    ...(nominal ? { nominal } : {}),
    ...(texts ? { texts } : {}),
    ...(textDimensions === undefined ? {} : { textDimensions }),
    ...(file === undefined ? {} : { file }),
    ...(names ? { names } : {}),
    ...(levels ? { levels } : {}),
    ...(notations ? { notations } : {}),
    ...(scaling ? { scaling } : {}),
    ...(weights ? { weights } : {}),
    ...(rowWeights ? { rowWeights: Float64Array.from(rows, (row) => rowWeights[row]!) } : {}),
    ...(directions ? { directions } : {}),
    ...(holes ? { holes } : {}),
    ...(holeFills ? { holeFills } : {}),
    ...(scaleGiven ? { scaleGiven } : {}),
    ...(underMetric ? { underMetric } : {}),
    ...(distances ? { distances: selectDistances(distances, points.n, rows) } : {}),
  };
}

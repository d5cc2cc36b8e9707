/** The closure of constraint sets that would have 10¹⁰ pairs if they were listed. */
import { closeConstraints, constraints } from "@coterie/core/internal";
import { benchCase } from "../context.mjs";
import { side } from "../measure.mjs";

const CLASSES = 10;
const SECOND = 1000;

export default benchCase("closure of constraints", async function* ({ quick }) {
  const links = quick ? 10_000 : 100_000;
  const labelled = quick ? 100_000 : 1_000_000;

  const mustLink = Array.from({ length: links }, (_, i) => /** @type {const} */ ([i, i + 1]));
  yield {
    name: "chain",
    title: `a chain of ${links} must-links`,
    bar: SECOND,
    ours: ours({ n: links + 1 }, { mustLink }),
    check: ({ components, largest }) =>
      components === 1 && largest === links + 1 ? undefined : "the chain is not one component",
  };

  const exclusive = [{ column: "source", codes: new Int32Array(links), names: ["one"] }];
  yield {
    name: "group",
    title: `an exclusive group of ${links} rows`,
    bar: SECOND,
    ours: ours({ n: links }, { exclusive }),
    check: ({ degree }) => (degree === links - 1 ? undefined : `row 0 is apart from ${degree} others`),
  };

  const labels = Array.from({ length: labelled }, (_, i) => /** @type {const} */ ([i, i % CLASSES]));
  yield {
    name: "labels",
    title: `a labelling of ${labelled} rows in ${CLASSES} classes`,
    bar: SECOND,
    ours: ours({ n: labelled }, { labels }),
    check: ({ components, degree }) =>
      components === CLASSES && degree === CLASSES - 1 ? undefined : `${components} components, row 0 apart from ${degree}`,
  };
});

/** @param {{ readonly n: number }} instances @param {import("@coterie/core/internal").ConstraintLists} lists */
function ours(instances, lists) {
  return side("coterie", function* () {
    yield;
    const closure = closeConstraints(constraints(instances, lists));
    yield;
    return { components: closure.componentCount, largest: closure.sizes[0], degree: closure.degree(0) };
  });
}

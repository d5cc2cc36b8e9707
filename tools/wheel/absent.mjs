/** In place of packages with binaries, which the wheel of the Python package leaves out. */

/** As `CoterieError`, which is compared by name. */
function notIncluded() {
  const message = "The engines DuckDB and Spark are not part of the Python package.";
  const remedy = "Install the command from npm for them: npm install --global coterie.";
  const problem = { code: "bad-input", message, remedy };
  return Object.assign(new Error(`${message} ${remedy}`), { name: "CoterieError", problem });
}

export const DuckDBInstance = {
  async create() {
    throw notIncluded();
  },
};

/** For `new grpc.Metadata()`, the first use of gRPC. */
export class Metadata {
  constructor() {
    throw notIncluded();
  }
}

/** Properties are drawn from one seed, so that a run of the tests can be repeated; see `propertySeed` in vitest.config.ts. */
import fc from "fast-check";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    propertySeed: number;
  }
}

fc.configureGlobal({ seed: inject("propertySeed") });

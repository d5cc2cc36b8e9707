import { storeSuite } from "../testing/store-suite.js";
import { createMemoryStore } from "./memory-store.js";

storeSuite("memory", async () => createMemoryStore());

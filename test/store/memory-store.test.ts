import { MemoryStore } from "../../src/store/memory-store.ts";
import { assessByBytes } from "./contract-cases.ts";
import { describeStoreContract } from "./store-contract.ts";

describeStoreContract("in memory", async () => ({
  store: new MemoryStore(assessByBytes),
  close: async () => {},
}));

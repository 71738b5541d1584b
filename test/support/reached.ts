import { ManualClock } from "mock-cloud-reco";
import type { ServiceUnderTest } from "./backends.ts";

const unused = () => Promise.reject(new Error("unused"));

/** Adapts external servers to the helpers of the API tests, which use their URLs and clock. */
export const reached = (target: string, query: string, manager: string): ServiceUnderTest => ({
  urls: { target, modelTarget: target, query, manager },
  clock: new ManualClock(),
  addCloudDatabase: unused,
  addVuMarkDatabase: unused,
  updateDatabase: unused,
  setRecognitionCounts: unused,
  latest: unused,
  requests: unused,
  [Symbol.asyncDispose]: unused,
});

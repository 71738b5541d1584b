import { describe } from "vitest";
import { testEveryClient } from "./every-client.ts";
import { testRequestsInFlight } from "./in-flight.ts";

describe.each(["direct", "documented"] as const)("through nock, %s reply", (replyMode) => {
  testEveryClient({ intercept: "nock", replyMode });
  testRequestsInFlight({ intercept: "nock", replyMode });
});

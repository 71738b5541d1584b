import { describe } from "vitest";
import { firstOf } from "../support/combinations.ts";
import { testEveryClient } from "./every-client.ts";
import { testRequestsInFlight } from "./in-flight.ts";

describe.each(firstOf(["direct", "documented"] as const, 1))("through nock, %s reply", (replyMode) => {
  testEveryClient({ intercept: "nock", replyMode });
  testRequestsInFlight({ intercept: "nock", replyMode });
});

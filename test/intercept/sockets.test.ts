import { describe } from "vitest";
import { testEveryClient } from "./every-client.ts";
import { testRequestsInFlight } from "./in-flight.ts";

describe("at the socket, without nock", () => {
  testEveryClient({ intercept: "sockets" });
  testRequestsInFlight({ intercept: "sockets" });
});

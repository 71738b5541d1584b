import { test } from "vitest";
import { PROFILE_NAMES } from "../../../src/emulator/profiles.ts";
import { expectEveryFact, FACTS_TIMEOUT } from "../../support/fact-run.ts";
import { describeOnRedis } from "../../support/redis-backend.ts";

// `npm run test:redis` runs all other tests of the protocol with Redis, too.
describeOnRedis("every fact holds", (backend) => {
  test.each(PROFILE_NAMES)("%s", (profile) => expectEveryFact(backend, profile), FACTS_TIMEOUT);
});

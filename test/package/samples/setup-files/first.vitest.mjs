import * as packageUnderTest from "mock-cloud-reco";
import { expect, test } from "vitest";
import { checkBlocked } from "./blocked.cjs";

test("the service is blocked unless a mock answers", () => checkBlocked(expect, packageUnderTest));

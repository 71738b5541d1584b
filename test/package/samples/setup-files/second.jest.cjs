const packageUnderTest = require("mock-cloud-reco");
const { checkBlocked } = require("./blocked.cjs");

test("the service is blocked unless a mock answers", () => checkBlocked(expect, packageUnderTest));

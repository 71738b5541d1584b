// The Jest matchers, in CommonJS.
import { expect } from "@jest/globals";
import { useMockCloudReco } from "mock-cloud-reco/jest";

const recognition = useMockCloudReco({ fakeTimers: true });

export const matched = (): void => {
  expect(recognition.mock).toHaveReceived("addTarget", { times: 1 });
  expect(recognition.mock).not.toHaveReceived({ operation: "query", refused: true });
  expect(recognition.mock).toHaveRefusedNothing();
  // @ts-expect-error -- unknown operation
  expect(recognition.mock).toHaveReceived("addTargets");
};

import { MockCloudReco, type MockCloudRecoOptions } from "mock-cloud-reco";
import { onTestFinished } from "vitest";

/** A mock that stops when the test ends. */
export function start(options: MockCloudRecoOptions = {}): MockCloudReco {
  const mock = new MockCloudReco(options);
  onTestFinished(() => mock.stop());
  return mock;
}

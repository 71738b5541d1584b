import { jest } from "@jest/globals";
import { samplePicture } from "mock-cloud-reco";
import { useMockCloudReco } from "mock-cloud-reco/jest";
import { PictureShelf } from "./picture-shelf.js";

const recognition = useMockCloudReco({ fakeTimers: { now: Date.UTC(2026, 0, 31) } });

test("a picture is added once, and nobody waits for processing", async () => {
  const shelf = new PictureShelf(recognition.database);
  const id = await shelf.add("picture", await samplePicture(1));
  expect(await shelf.isReady(id)).toBe(false);
  jest.advanceTimersByTime(500);
  expect(await shelf.isReady(id)).toBe(true);
  expect(recognition.database.targets[0].uploadDate).toEqual(new Date(Date.UTC(2026, 0, 31)));
  expect(recognition.mock).toHaveReceived("addTarget", { times: 1 });
});

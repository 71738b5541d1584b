import { readFileSync } from "node:fs";
import { jest } from "@jest/globals";
import { useMockCloudReco } from "mock-cloud-reco/jest";
import { PictureShelf } from "./picture-shelf.js";

const raccoon = readFileSync(new URL("../demo/images/raccoon.jpg", import.meta.url));
const recognition = useMockCloudReco({ fakeTimers: { now: Date.UTC(2026, 0, 31) } });

test("a picture is added once, and nobody waits for processing", async () => {
  const shelf = new PictureShelf(recognition.database);
  const id = await shelf.add("raccoon", raccoon);
  expect(await shelf.isReady(id)).toBe(false);
  jest.advanceTimersByTime(500);
  expect(await shelf.isReady(id)).toBe(true);
  expect(recognition.database.targets[0].uploadDate).toEqual(new Date(Date.UTC(2026, 0, 31)));
  expect(recognition.mock).toHaveReceived("addTarget", { times: 1 });
});

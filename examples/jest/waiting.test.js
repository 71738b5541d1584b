const { MockCloudReco, samplePicture } = require("mock-cloud-reco");
const { useMockCloudReco } = require("mock-cloud-reco/jest");
const { PictureShelf } = require("./picture-shelf.js");

let picture;

beforeAll(async () => {
  picture = await samplePicture(1);
});

describe("with fake timers", () => {
  const recognition = useMockCloudReco({ fakeTimers: true });

  test("nobody waits for processing", async () => {
    const shelf = new PictureShelf(recognition.database);
    const id = await shelf.add("picture", picture);
    jest.advanceTimersByTime(499);
    expect(await shelf.isReady(id)).toBe(false);
    jest.advanceTimersByTime(1);
    expect(await shelf.isReady(id)).toBe(true);
  });
});

// Jest runs no hooks for `test.concurrent`, so each test creates its own mock.
describe("tests that run at the same time", () => {
  test.concurrent.each(["first", "second", "third"])("do not see each other: %s", async (name) => {
    const mock = new MockCloudReco();
    try {
      const database = mock.addCloudDatabase();
      const shelf = new PictureShelf(database);
      const id = await shelf.add(name, picture);
      await shelf.isReady(id);
      expect(database.targets.map((target) => target.name)).toEqual([name]);
      expect(mock.requests.map(({ operation }) => operation)).toEqual(["addTarget", "getTarget"]);
    } finally {
      mock.stop();
    }
  });
});

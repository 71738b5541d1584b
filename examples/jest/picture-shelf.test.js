const { samplePicture } = require("mock-cloud-reco");
const { useMockCloudReco } = require("mock-cloud-reco/jest");
const { PictureShelf } = require("./picture-shelf.js");

const recognition = useMockCloudReco({ failOnRefusedRequests: true });
let picture;
let shelf;

beforeAll(async () => {
  picture = await samplePicture(1);
});

beforeEach(() => {
  shelf = new PictureShelf(recognition.database);
});

test("a picture is added once", async () => {
  const id = await shelf.add("picture", picture);
  recognition.mock.finishProcessing();
  expect(await shelf.isReady(id)).toBe(true);
  expect(recognition.mock).toHaveReceived("addTarget", { times: 1 });
});

test("every test begins with an empty database", () => {
  expect(recognition.database.targets).toEqual([]);
  expect(recognition.mock).not.toHaveReceived("addTarget");
});

describe("with a full database", () => {
  const full = useMockCloudReco({ database: { targetQuota: 0 } });

  test("a picture is refused", async () => {
    await expect(new PictureShelf(full.database).add("picture", picture)).rejects.toThrow(
      "TargetQuotaReached",
    );
    expect(full.mock).toHaveReceived({ operation: "addTarget", refused: true }, { times: 1 });
  });
});

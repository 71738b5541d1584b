import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MockCloudReco, perfectRater } from "mock-cloud-reco";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makePng } from "../support/png.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "state-text-"));
  path = join(folder, "state.json");
});
afterEach(() => rm(folder, { recursive: true }));

const MIB = 2 ** 20;
const open = () => new MockCloudReco({ intercept: false, targetRater: perfectRater });

/** Any image of a file that its rater does not decode, with a rest that the decoder would ignore. */
const imageOf = (length: number) => Buffer.concat([makePng(), Buffer.alloc(length, length % 256)]);

test("a state file holds the snapshot in ASCII, with images longer than what is written at a time", async () => {
  await using mock = open();
  const shop = mock.addCloudDatabase({ databaseName: "shop ü" });
  mock.addCloudDatabase({ databaseName: "empty" });
  mock.addVuMarkDatabase({ databaseName: "labels" });
  for (const [index, length] of [0, 1, 2, 49_152, 65_536, 200_000].entries())
    await mock.addTarget(shop, {
      name: `target é ${index}`,
      image: imageOf(length),
      applicationMetadata: Buffer.from("é").toString("base64"),
    });
  const { targetId } = await mock.addTarget(shop, { name: "deleted", image: imageOf(3) });
  mock.deleteTarget(shop, targetId);
  await mock.save(path);
  const text = await readFile(path, "latin1");
  expect(text).toMatch(/^[\x20-\x7e]+$/);
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(mock.snapshot())));
});

test("a state file without content is that of a mock without databases", async () => {
  await using mock = open();
  await mock.save(path);
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual(JSON.parse(JSON.stringify(mock.snapshot())));
});

test("writing many records takes no memory of their size", async () => {
  await using mock = open();
  const database = mock.addCloudDatabase({ databaseName: "shop" });
  const { targetId } = await mock.addTarget(database, { name: "first", image: makePng() });
  mock.deleteTarget(database, targetId);
  const { databases, ...others } = mock.snapshot();
  const many = databases.map(({ targets, ...rest }) => ({
    ...rest,
    targets: Array.from({ length: 12_000 }, (_, number) => ({
      ...targets[0],
      targetId: `${number}`.padStart(32, "0"),
    })),
  }));
  mock.restore(JSON.parse(JSON.stringify({ ...others, databases: many })));
  const before = process.memoryUsage().arrayBuffers;
  await mock.save(path);
  const taken = process.memoryUsage().arrayBuffers - before;
  expect((await readFile(path)).length).toBeGreaterThan(4 * MIB);
  expect(taken).toBeLessThan(MIB);
});

import { expect, test } from "vitest";
import { MemoryStore } from "../../src/core/store/memory-store.ts";
import { SnapshotReader } from "../../src/core/store/snapshot-reader.ts";
import {
  assessByBytes,
  changes,
  cloud,
  createTarget,
  NOW,
  newTarget,
  restoreSnapshot,
  wholeSnapshot,
} from "./contract-cases.ts";

const COUNT = 2000;
const many = (text: string) => `[${`${text},`.repeat(COUNT)}${text}]`;

/** Reads a snapshot that arrives in chunks of this size. */
async function read(given: string, size = 1000) {
  const bytes = Buffer.from(given);
  const reader = new SnapshotReader();
  const kept: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) kept.push(...reader.write(bytes.subarray(at, at + size)));
  const text = Buffer.concat(kept).toString();
  const restoring = restoreSnapshot(JSON.parse(text), reader.images);
  return { text, problem: await new MemoryStore(assessByBytes).run(restoring) };
}

/** A state with every kind of record. */
async function filled() {
  const store = new MemoryStore(assessByBytes);
  await store.run(changes.createDatabase(cloud({ databaseName: "shop" })));
  for (const number of [1, 2, 3])
    await store.run(
      createTarget("shop", newTarget({ targetId: `${number}`, name: `target ${number}` }), NOW),
    );
  await store.run(changes.putCredential({ clientId: "c", clientSecret: "s", scopes: ["a", "b"] }));
  await store.takeRateToken("shop", [{ key: "a", maxRequests: 9, windowSeconds: 60, isAligned: false }], NOW);
  return JSON.parse(JSON.stringify(await store.read(wholeSnapshot)));
}

type Edit = (snapshot: Awaited<ReturnType<typeof filled>>) => unknown;
const MARK = "many";

/** What has too many elements, and the problem. */
const WRONG: readonly (readonly [name: string, edit: Edit, problem: RegExp])[] = [
  ["the whole", () => MARK, /^snapshot: expected an object; got an array/],
  ["databases", (all) => ({ ...all, databases: MARK }), /^snapshot\.databases\[0\]/],
  ["credentials", (all) => ({ ...all, credentials: MARK }), /^snapshot\.credentials\[0\]/],
  ["datasets", (all) => ({ ...all, datasets: MARK }), /^snapshot\.datasets\[0\]/],
  ["images", (all) => ({ ...all, images: MARK }), /^snapshot\.images/],
  ["an unknown key", (all) => ({ ...all, other: MARK }), /^snapshot\.other/],
  ...["targets", "templates", "reports", "accepted"].map(
    (key) =>
      [
        key,
        ({ databases: [first], ...all }: Awaited<ReturnType<typeof filled>>) => ({
          ...all,
          databases: [{ ...first, [key]: MARK }],
        }),
        new RegExp(`^snapshot\\.databases\\[0\\]\\.${key}\\[0\\]`),
      ] as const,
  ),
  [
    "moments",
    ({ databases: [first], ...all }) => ({
      ...all,
      databases: [{ ...first, accepted: [{ limit: "a", moments: MARK }] }],
    }),
    /^snapshot\.databases\[0\]\.accepted\[0\]\.moments\[0\]/,
  ],
];

test.each(WRONG)(
  "of a list with wrong elements, only the first one is read: %s",
  async (_name, edit, problem) => {
    const given = JSON.stringify(edit(await filled()));
    for (const element of ["[]", "{}", '{ "a": [1] }', "true", "[[[]]]"]) {
      const one = given.replace(`"${MARK}"`, `[${element}]`);
      const wrong = await read(given.replace(`"${MARK}"`, many(element)));
      expect(wrong.text).toBe((await read(one)).text);
      expect(wrong.problem).toMatch(problem);
    }
  },
);

test("what follows such a list is read, and a wrong element after right ones is found", async () => {
  const snapshot = await filled();
  const [first] = snapshot.databases;
  first.targets.push(...Array(COUNT).fill({}));
  snapshot.credentials = [{}, {}];
  const { text, problem } = await read(JSON.stringify(snapshot));
  const left = JSON.parse(text);
  expect([left.databases[0].targets.length, left.databases[0].accepted.length]).toEqual([4, 1]);
  expect([left.credentials, left.version]).toEqual([[{}], 2]);
  expect(problem).toMatch(/^snapshot\.databases\[0\]\.targets\[3\]/);
});

test.each([1, 2, 3, 7, 100, 100_000])(
  "a right snapshot is read whole, in chunks of %d bytes",
  async (size) => {
    const snapshot = await filled();
    for (const text of [JSON.stringify(snapshot), JSON.stringify(snapshot, null, 3)]) {
      const { text: left, problem } = await read(text, size);
      expect(problem).toBeUndefined();
      expect(JSON.parse(left)).toEqual({
        ...snapshot,
        images: Object.fromEntries(Object.keys(snapshot.images).map((sha256) => [sha256, ""])),
      });
    }
  },
);

test("keys may be written with escapes", async () => {
  const snapshot = await filled();
  const { problem } = await read(JSON.stringify(snapshot).replaceAll('"targets"', '"\\u0074argets"'));
  expect(problem).toBeUndefined();
});

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MockCloudReco } from "mock-cloud-reco";
import { startServers } from "mock-cloud-reco/server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "text-files-"));
});
afterEach(() => rm(folder, { recursive: true }));

const SEED = `{"cloud_databases": [{"database_name": "Käfer", "server_secret_key": "hunter2"}]}`;

/** As editors and shells of Windows write it. */
const ENCODINGS: Readonly<Record<string, (text: string) => Buffer>> = {
  "UTF-8": (text) => Buffer.from(text),
  "UTF-8 with a byte-order mark": (text) => Buffer.from(`\ufeff${text}`),
  "UTF-16, little-endian": (text) => Buffer.from(`\ufeff${text}`, "utf16le"),
  "UTF-16, big-endian": (text) => Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
  "line ends of Windows": (text) => Buffer.from(text.replaceAll(" ", "\r\n")),
};

const seeded = async (bytes: Buffer): Promise<readonly string[]> => {
  const seedFile = join(folder, "seed.json");
  await writeFile(seedFile, bytes);
  await using servers = await startServers({ seedFile }, () => {});
  return servers.seeded;
};

describe("a seed file", () => {
  it.each(Object.entries(ENCODINGS))("is read in %s", async (_name, encode) => {
    expect(await seeded(encode(SEED))).toEqual(["Käfer"]);
  });

  it.each<readonly [what: string, content: string | Buffer, error: string]>([
    ["a comment", `{\n  // mine\n}`, 'unexpected "/" at line 2, column 3: remove the comment'],
    [
      "a comma too many",
      `{\n  "cloud_databases": [],\n}`,
      'unexpected "}" at line 3, column 1: remove the comma before it',
    ],
    [
      "single quotes",
      `{'cloud_databases': []}`,
      `unexpected "'" at line 1, column 2: write " around texts and names`,
    ],
    [
      "a backslash",
      String.raw`{"cloud_databases": [{"database_name": "C:\pics"}]}`,
      'unexpected "\\\\" at line 1, column 43: write each backslash as \\\\',
    ],
    ["an end that is missing", `{"cloud_databases": [\n`, "it ends too early, at line 2, column 1"],
    ["nothing", "", "expected JSON; the file is empty"],
    ["white space", "\r\n", "expected JSON; the file is empty"],
    [
      "Latin-1",
      Buffer.from(SEED, "latin1"),
      "it is not UTF-8, but perhaps Windows-1252: the byte e4 at line 1, column 42; save it as UTF-8",
    ],
    // At each place in a character, behind what is read at a time.
    ...["", "x", "xx"].map((before): readonly [string, Buffer, string] => [
      `Latin-1 behind ${90_000 + before.length} bytes of UTF-8`,
      Buffer.concat([Buffer.from(before + "€".repeat(30_000)), Buffer.from([0xe4, 0x20])]),
      `the byte e4 at line 1, column ${30_001 + before.length}; save it as UTF-8`,
    ]),
    ...[0, 1, 2].map((more): readonly [string, Buffer, string] => [
      `a character that is cut behind ${65_534 + more} bytes`,
      Buffer.concat([Buffer.from("x".repeat(65_534 + more)), Buffer.from([0xe2, 0x82])]),
      `the byte e2 at line 1, column ${65_535 + more}; save it as UTF-8`,
    ]),
    [
      "UTF-16 without a mark",
      Buffer.from(SEED, "utf16le"),
      "it is UTF-16 without a byte-order mark: save it as UTF-8",
    ],
    [
      "half a character of UTF-16",
      Buffer.concat([Buffer.from(`\ufeff${SEED}`, "utf16le"), Buffer.from([1])]),
      "it is damaged UTF-16",
    ],
    [
      "a state",
      `{"version": 2, "databases": []}`,
      "it is a state file, not a seed: give it as --state FILE, or STATE_FILE",
    ],
  ])("with %s is refused with the place, and without its content", async (_what, content, error) => {
    const failed = seeded(Buffer.from(content as string));
    await expect(failed).rejects.toMatchObject({
      name: "InvalidSeedError",
      message: expect.stringContaining(error),
    });
    await expect(failed).rejects.not.toThrow("hunter2");
  });

  it("that is a folder is refused", async () => {
    await expect(startServers({ seedFile: folder }, () => {})).rejects.toThrow("it is a folder; name a file");
  });
});

describe("a state file", () => {
  const path = () => join(folder, "state.json");
  const save = async () => {
    await using mock = new MockCloudReco({ intercept: false });
    mock.addCloudDatabase({ databaseName: "Käfer" });
    await mock.save(path());
    return readFile(path(), "utf8");
  };
  const namesIn = async () => {
    await using servers = await startServers({ stateFile: path() }, () => {});
    return servers.seeded;
  };

  it.each(Object.entries(ENCODINGS).slice(0, -1))("is read in %s", async (_name, encode) => {
    await writeFile(path(), encode(await save()));
    expect(await namesIn()).toEqual(["Käfer"]);
  });

  it("that is empty holds no state, as one that is made to be mounted", async () => {
    await writeFile(path(), "");
    expect(await namesIn()).toEqual([]);
    await writeFile(path(), "");
    await expect(MockCloudReco.load(path(), { intercept: false })).rejects.toThrow(
      "does not exist, or is empty",
    );
  });

  it.each([
    ["a seed", SEED, "holds no state, but a seed: give it as --seed FILE, or SEED_FILE"],
    ["a comment", `{ // mine\n}`, 'expected JSON; unexpected "/" at line 1, column 3: remove the comment'],
    ["a part of it", `{"version": 2,`, "expected JSON; it ends too early, at line 1, column 15"],
  ])("that holds %s is refused", async (_what, content, error) => {
    await writeFile(path(), content);
    await expect(namesIn()).rejects.toMatchObject({
      name: "StateFileError",
      message: expect.stringContaining(error),
    });
    expect(await readFile(path(), "utf8")).toBe(content);
  });
});

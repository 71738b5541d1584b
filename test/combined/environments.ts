import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  type EmulatorControl,
  exactMatcher,
  type JournalEntry,
  ManualClock,
  MockCloudReco,
  perfectRater,
} from "mock-cloud-reco";
import { startServers } from "mock-cloud-reco/server";
import { PROCESSING_SECONDS, START } from "./model.ts";

/** What a program runs on. */
export interface World {
  readonly control: EmulatorControl & { readonly requests: readonly JournalEntry[] };
  readonly urls: Readonly<Record<"target" | "query" | "manager", string>>;
  readonly send: typeof fetch;
  /** What only a mock in this process has. */
  readonly mock: MockCloudReco | undefined;
  /** Ends, and starts again with the state in a file; returns what then stands in its place. */
  restart(): Promise<World>;
  close(): Promise<void>;
}

export type Environment = () => Promise<World>;

const SHARED = { processingTimeSeconds: PROCESSING_SECONDS } as const;
const temporaryFile = async () => join(await mkdtemp(join(tmpdir(), "combined-")), "state.json");
const removeFolder = (path: string) => rm(dirname(path), { recursive: true, force: true });

function mockIn(intercept: "nock" | "sockets" | false): Environment {
  return async () => {
    const path = await temporaryFile();
    const options = () => ({
      ...SHARED,
      intercept,
      clock: new ManualClock(new Date(START)),
      targetRater: perfectRater,
      queryMatcher: exactMatcher,
      duplicatesMatcher: exactMatcher,
    });
    const worldOf = (mock: MockCloudReco): World => ({
      control: mock,
      mock,
      urls: mock.urls,
      send: intercept === false ? mock.fetch : fetch,
      restart: async () => {
        await mock.save(path);
        mock.stop();
        return worldOf(await MockCloudReco.load(path, options()));
      },
      close: async () => {
        mock.stop();
        await removeFolder(path);
      },
    });
    return worldOf(new MockCloudReco(options()));
  };
}

const servers: Environment = async () => {
  const stateFile = await temporaryFile();
  const start = async (): Promise<World> => {
    const running = await startServers({
      ...SHARED,
      clock: new ManualClock(new Date(START)),
      targetRater: "perfect",
      queryMatcher: "exact",
      duplicatesMatcher: "exact",
      ui: false,
      stateFile,
    });
    return {
      control: running,
      mock: undefined,
      urls: running.urls,
      send: fetch,
      restart: async () => {
        await running.stop();
        return start();
      },
      close: async () => {
        await running.stop();
        await removeFolder(stateFile);
      },
    };
  };
  return start();
};

export const environments: Readonly<Record<string, Environment>> = {
  "mock.fetch": mockIn(false),
  "a mock with nock": mockIn("nock"),
  "a mock at its sockets": mockIn("sockets"),
  servers,
};

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
import { Listener, type SeenState } from "../page/events.ts";
import { whyNoRedis } from "../support/redis-server.ts";
import { processes, type SharedEnvironment } from "./processes.ts";
import { PROCESSING_SECONDS, START } from "./state.ts";

/** A request in the journal. */
export interface SeenRequest {
  readonly api: string;
  readonly operation: string;
  readonly refused: boolean;
  readonly fault: boolean;
  readonly number: number;
}

/** A page that somebody looks at. */
export interface OpenPage {
  /** Resolves when it shows what is wanted. */
  shows(isShown: (state: SeenState) => boolean, wanted: string): Promise<void>;
  close(): Promise<void>;
}

/** A query that waits. */
export interface HeldQuery {
  readonly begun: Promise<void>;
  readonly end: () => void;
}

export interface KilledServer {
  readonly losesState: boolean;
  /** Kills it and starts it again. */
  restart(): Promise<void>;
}

/** What a program runs on. */
export interface World {
  /** Undefined: only the target manager's API changes something. */
  readonly control: (EmulatorControl & { readonly requests: readonly JournalEntry[] }) | undefined;
  readonly urls: Readonly<Record<"target" | "query" | "manager", string>>;
  readonly send: typeof fetch;
  /** What only a mock in this process has. */
  readonly mock: MockCloudReco | undefined;
  /** The journal, in which so many requests of clients are expected to be, or to be soon. */
  seen(expected: number): Promise<readonly SeenRequest[]>;
  /** Lets the next query wait when it begins to compare images. */
  holdQuery?(): HeldQuery;
  openPage(): Promise<OpenPage>;
  /** Whether its clock runs unless it is frozen. */
  readonly clockRuns?: boolean;
  /** Lets the clock stand still again, after a reset. */
  freeze?(): Promise<unknown>;
  /** Ends, and starts again with the state in a file; returns what then stands in its place. */
  restart?(): Promise<World>;
  readonly kill?: Readonly<Record<string, KilledServer>>;
  close(): Promise<void>;
}

export type Environment = () => Promise<World>;

const SHARED = { processingTimeSeconds: PROCESSING_SECONDS } as const;
const temporaryFile = async () => join(await mkdtemp(join(tmpdir(), "combined-")), "state.json");
const removeFolder = (path: string) => rm(dirname(path), { recursive: true, force: true });

const seenIn = ({ requests }: { readonly requests: readonly JournalEntry[] }): readonly SeenRequest[] =>
  requests.map(({ api, operation, refusedBy, fault, number }) => ({
    api,
    operation: String(operation),
    refused: refusedBy !== undefined,
    fault: fault !== undefined,
    number,
  }));

/** How long the journal is read until it has the requests that are expected: however busy another server's process is. */
const SEEN_WITHIN_MILLISECONDS = 20_000;

/** Reads the journal until it has so many requests of clients. Each reading lets others be answered. */
export async function untilSeen(
  read: () => Promise<readonly SeenRequest[]>,
  expected: number,
): Promise<readonly SeenRequest[]> {
  const end = performance.now() + SEEN_WITHIN_MILLISECONDS;
  for (;;) {
    const requests = await read();
    const own = requests.filter(({ api }) => api !== "manager");
    if (own.length >= expected || performance.now() > end) return requests;
  }
}

const SHOWN_WITHIN_MILLISECONDS = 20_000;

/** @param url - where the page is served, with a slash at the end. */
export function pageAt(url: string, stop: () => Promise<void> = async () => {}): OpenPage {
  const listener = new Listener(`${url}page/events`);
  return {
    shows: async (isShown, wanted) => {
      const latest = () => listener.states.at(-1);
      const shown = listener.until(() => {
        const state = latest();
        return state !== undefined && isShown(state);
      });
      let timer: NodeJS.Timeout | undefined;
      const tooLate = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          const { clock, cloudDatabases, faults, datasets } = latest() ?? {};
          const actual = JSON.stringify({ clock, cloudDatabases, faults, datasets: datasets?.length });
          reject(new Error(`the page does not show ${wanted}; it shows ${actual}`));
        }, SHOWN_WITHIN_MILLISECONDS);
      });
      await Promise.race([shown, tooLate]).finally(() => clearTimeout(timer));
    },
    close: async () => {
      await listener[Symbol.asyncDispose]();
      await stop();
    },
  };
}

function mockIn(intercept: "nock" | "sockets" | false): Environment {
  return async () => {
    const path = await temporaryFile();
    let held: (() => Promise<void>) | undefined;
    const options = () => ({
      ...SHARED,
      intercept,
      clock: new ManualClock(new Date(START)),
      targetRater: perfectRater,
      queryMatcher: async (a: Buffer, b: Buffer) => {
        const found = held;
        held = undefined;
        if (found !== undefined) await found();
        return exactMatcher(a, b);
      },
      duplicatesMatcher: exactMatcher,
    });
    const worldOf = (mock: MockCloudReco): World => {
      const send = intercept === false ? mock.fetch : fetch;
      return {
        control: mock,
        mock,
        urls: mock.urls,
        send,
        seen: (expected) =>
          untilSeen(async () => {
            const { length } = seenIn(mock).filter(({ api }) => api !== "manager");
            if (length < expected) await send(`${mock.urls.manager}/faults`);
            return seenIn(mock);
          }, expected),
        holdQuery: () => {
          let [begin, end] = [() => {}, () => {}];
          const begun = new Promise<void>((resolve) => {
            begin = resolve;
          });
          const ended = new Promise<void>((resolve) => {
            end = resolve;
          });
          held = () => {
            begin();
            return ended;
          };
          return { begun, end };
        },
        openPage: async () => {
          const page = await mock.page.serve();
          return pageAt(page.url, () => page.stop());
        },
        restart: async () => {
          await mock.save(path);
          mock.stop();
          return worldOf(await MockCloudReco.load(path, options()));
        },
        close: async () => {
          mock.stop();
          await removeFolder(path);
        },
      };
    };
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
      stateFile,
    });
    return {
      control: running,
      mock: undefined,
      urls: running.urls,
      send: fetch,
      seen: (expected) =>
        untilSeen(async () => {
          await fetch(`${running.urls.manager}/faults`);
          return seenIn(running);
        }, expected),
      openPage: async () => pageAt(`${running.urls.manager}/`),
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

/** Those in which each program has an emulator of its own. */
export const environments: Readonly<Record<string, Environment>> = {
  "mock.fetch": mockIn(false),
  "a mock with nock": mockIn("nock"),
  "a mock at its sockets": mockIn("sockets"),
  servers,
};

/** Those whose processes run all programs, one after the other, until they are ended. */
export const sharedEnvironments: Readonly<Record<string, (command: string) => Promise<SharedEnvironment>>> = {
  "three processes": (command) => processes("memory", command),
  ...(whyNoRedis === undefined && { "three processes on Redis": (command) => processes("redis", command) }),
};

import { createEmulator, createFaults } from "../apis/index.ts";
import { InternalApi } from "../apis/internal/internal-api.ts";
import { bodyReply } from "../apis/shared/plain.ts";
import { MovableClock } from "../core/clock.ts";
import type { Faults } from "../core/faults.ts";
import { Journal, type JournalEntry } from "../core/journal.ts";
import {
  type HeaderList,
  header,
  type Result,
  type WireRequest,
  type WireResponse,
} from "../core/message.ts";
import { PROFILE_NAMES, type ProfileName } from "../core/profiles.ts";
import { createRandom, type Random } from "../core/random.ts";
import { assessImage } from "../images/assess.ts";
import { compareBySimilarity } from "../images/matchers.ts";
import { prepareInBackground } from "../images/ranking.ts";
import type { ResolvedOptions } from "../mock/options.ts";
import { openApiDocument } from "../openapi/document.ts";
import { INTERNAL_PREFIX, SERVER_HEADER } from "../store/manager/internal-protocol.ts";
import { MemoryStore } from "../store/memory-store.ts";
import { SnapshotUpload } from "../store/snapshot-upload.ts";
import { keepState } from "./kept-state.ts";
import { PageApi } from "./page/page-api.ts";
import type { PageState } from "./page/page-data.ts";
import { failureReply, type Listen, type RunningServer, startServer } from "./server.ts";
import { type TrustRules, whyDistrusted } from "./trusted-callers.ts";

/** Progress reports let waiting servers distinguish a busy manager from one that hangs. */
const reportsProgress = (head: { readonly headers: HeaderList }) => header(head, SERVER_HEADER) !== undefined;

/** Snapshots may be of any size. */
export const filterFor = ({ method, path }: Pick<WireRequest, "method" | "path">) =>
  method === "PUT" && path === "/snapshot" ? new SnapshotUpload() : undefined;

export interface ManagerSetup {
  readonly listen: Listen;
  readonly options: ResolvedOptions;
  readonly onEntry?: ((entry: JournalEntry) => void) | undefined;
  /** Which browser requests it answers. */
  readonly trust?: TrustRules | undefined;
  /** The addresses that the page shows; without this, there is no page. */
  readonly page?: { readonly urls: () => Pick<PageState["urls"], "target" | "query"> } | undefined;
  /** The file that keeps the state. */
  readonly stateFile?: string | undefined;
  /** Receives a line when the state file cannot be written. Default: standard error. */
  readonly complain?: ((line: string) => void) | undefined;
}

/** What the servers of one process share, as one emulator at several addresses. */
export interface LocalState {
  readonly store: MemoryStore;
  readonly clock: MovableClock;
  readonly journal: Journal;
  readonly faults: Faults;
  readonly random: Random;
}

/** The server that keeps all state. It serves the target manager's API and the routes that the other servers use. */
export interface TargetManager extends RunningServer, LocalState {
  /** Answers a request like one from the network, but without a journal entry. */
  readonly handleQuietly: (request: WireRequest) => Promise<Result>;
  /** Whether the state comes from a state file. */
  readonly isRestored: boolean;
}

/** @throws StateFileError; the system's error when it cannot listen there. */
export async function startTargetManager(setup: ManagerSetup): Promise<TargetManager> {
  const { listen, options, onEntry, trust, page, stateFile, complain = toStandardError } = setup;
  const { profile, seed, settings, targetRater } = options;
  const clock = new MovableClock(options.clock);
  const random = createRandom(seed);
  const { queryMatcher, duplicatesMatcher } = settings;
  const store = new MemoryStore(
    (image) => assessImage(image, targetRater),
    compareBySimilarity(queryMatcher, duplicatesMatcher) ? prepareInBackground : undefined,
  );
  const faults = createFaults(settings);
  const services = { store, clock, random, profile, settings, faults };
  const emulatorOptions = {
    unservedPaths: "notFound",
    sendsStreams: true,
    answerFailure: failureReply,
  } as const;
  const journal = new Journal(options.journalCapacity, options.journalBodyBytes);
  const emulator = createEmulator({ ...services, journal }, emulatorOptions);
  const quiet = createEmulator({ ...services, journal: new Journal(1) }, emulatorOptions);
  // Not from the seed, because every run of the manager needs its own name.
  const epoch = createRandom().hex(16);
  const internal = new InternalApi(store, journal, clock, epoch, faults, random);
  // The journal has the other servers' entries too, but those servers log them.
  journal.events.response.on((entry) => {
    if (entry.api === "manager") onEntry?.(entry);
  });
  const kept = stateFile === undefined ? undefined : await keepState(stateFile, store, complain);
  const starting = startServer({ ...listen, reportsProgress, filterFor }, (url) => {
    const pageApi =
      page &&
      new PageApi({
        store,
        clock,
        epoch,
        journal,
        faults,
        findImage: (sha256) => store.state.images.find(sha256)?.bytes(),
        queryMatcher,
        urls: () => ({ ...page.urls(), manager: url }),
      });
    return {
      apis: ["manager"],
      emulator,
      handle: async (request) => {
        const distrust = whyDistrusted(request, trust);
        if (distrust !== undefined) return emulator.refuse("manager", request, { status: 403, ...distrust });
        if (pageApi?.serves(request) === true) return { response: await pageApi.answer(request) };
        return internal.serves(request)
          ? { response: answerOpenApi(request, profile.name) ?? (await internal.answer(request)) }
          : emulator.handle(["manager"], request);
      },
    };
  });
  const server = await starting.catch(async (error: unknown) => {
    await kept?.close();
    throw error;
  });
  const end = async (ending: Promise<void>) => {
    await ending;
    await kept?.close();
  };
  const handleQuietly = (request: WireRequest) => quiet.handle(["manager"], request);
  return {
    ...server,
    close: (graceSeconds) => end(server.close(graceSeconds)),
    kill: () => end(server.kill()),
    store,
    clock,
    journal,
    faults,
    random,
    handleQuietly,
    isRestored: kept?.isRestored ?? false,
  };
}

const toStandardError = (line: string): void => void process.stderr.write(`${line}\n`);

const OPENAPI_PATH = `${INTERNAL_PREFIX}openapi.json`;

/**
 * Answers `GET /internal/openapi.json?profile=…` with the OpenAPI document of the four APIs; undefined for other routes.
 *
 * @param own - the default profile.
 */
export function answerOpenApi(
  { method, path, query }: WireRequest,
  own: ProfileName,
): WireResponse | undefined {
  if (method !== "GET" || path !== OPENAPI_PATH) return undefined;
  const wanted = new URLSearchParams(query).get("profile") ?? own;
  const profile = PROFILE_NAMES.find((name) => name === wanted);
  if (profile === undefined) {
    const expected = PROFILE_NAMES.join(" or ");
    return bodyReply(400, "text/plain", `profile: expected ${expected}; got ${JSON.stringify(wanted)}`);
  }
  return bodyReply(200, "application/json", JSON.stringify(openApiDocument({ profile })));
}

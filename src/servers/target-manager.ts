import { createEmulator, createFaults, type ServiceEmulator } from "../core/apis/index.ts";
import type { Consistency, ResolvedAnswerOptions, Services } from "../core/apis/services.ts";
import { MovableClock } from "../core/emulator/clock.ts";
import type { Faults } from "../core/emulator/faults.ts";
import { Journal } from "../core/emulator/journal.ts";
import {
  header,
  type MethodAndPath,
  type RequestHead,
  type Result,
  type WireRequest,
  type WireResponse,
} from "../core/emulator/message.ts";
import { PROFILE_NAMES, type ProfileName } from "../core/emulator/profiles.ts";
import { createRandom, type Random } from "../core/emulator/random.ts";
import { bodyReply } from "../core/emulator/response.ts";
import { answerMalformed } from "../core/http/http-messages.ts";
import { type Listen, type RunningServer, startServer } from "../core/http/listen.ts";
import { type TrustRules, whyDistrusted } from "../core/http/trust.ts";
import type { ComparedImage } from "../core/images/matching/comparison.ts";
import { assessing, backgroundPreparation } from "../core/images/on-demand.ts";
import { reachedUrl } from "../core/schema/base-url.ts";
import type { NewImage } from "../core/schema/target.ts";
import { MemoryStore } from "../core/store/memory-store.ts";
import { SnapshotReader } from "../core/store/snapshot-reader.ts";
import type { Store } from "../core/store/store.ts";
import { type OpenApiDocument, openApiDocument } from "../openapi/index.ts";
import type { ResolvedOptions } from "../options/options.ts";
import type { PageState } from "../page/model.ts";
import { PageApi } from "../page/page-api.ts";
import { isForPage } from "../page/page-requests.ts";
import { LONGEST_QUESTION_HEAD, type LoggedFacts, loggedOf } from "./forwarding-messages.ts";
import {
  type AnswerForwarded,
  type ApiServerOptions,
  answerForwardedRequest,
  ForwardingRoute,
} from "./forwarding-route.ts";
import { persistState } from "./persisted-state.ts";
import { seedFrom } from "./seed-file.ts";
import { failureReply, isHealthCheck, type StartProgress, unnoticed } from "./server.ts";

/** Null: unknown, as the server runs elsewhere. */
interface ApiServerUrls {
  readonly target: string | null;
  readonly query: string | null;
}
const NO_API_SERVERS: ApiServerUrls = { target: null, query: null };

/** What a manager is set up with, whether alone or among the three servers. */
export interface StateSetup {
  /** Which browser requests it answers. */
  readonly trust?: TrustRules | undefined;
  /** Whether it serves its page to browsers. */
  readonly page?: boolean | undefined;
  /** The file that keeps the state. */
  readonly stateFile?: string | undefined;
  /** The file of what an empty state gets, all of it or nothing. */
  readonly seedFile?: string | undefined;
  /** Receives a line when the state file cannot be written, or the seed file is not read. Default: standard error. */
  readonly complain?: ((line: string) => void) | undefined;
  /** Reads the settings of API servers in other processes. Default: as {@link ServerOptions}. */
  readonly resolveApiServer?: ((settings: string) => ApiServerOptions) | undefined;
  /** Called while the state file is read, and after each target of the seed file. */
  readonly onProgress?: StartProgress | undefined;
}

export interface ManagerSetup extends StateSetup {
  readonly listen: Listen;
  readonly options: ResolvedOptions;
  readonly onEntry?: ((logged: LoggedFacts) => void) | undefined;
  /** The URLs of the other servers, for a client that reached this machine as `host`. Default: unknown. */
  readonly urls?: ((host?: string) => ApiServerUrls) | undefined;
}

/** A server with the target manager's API, wherever the state is. */
export interface Manager extends RunningServer {
  readonly store: Store;
  /** Answers the requests that API servers pass on. */
  readonly answerForwarded: AnswerForwarded;
}

export interface ManagerParts {
  readonly services: Services;
  readonly answer: (request: WireRequest) => Promise<Result>;
  readonly answerForwarded: AnswerForwarded;
  readonly findImage: (sha256: string) => Promise<Buffer | undefined>;
  /** Called before the page or the journal is read. */
  readonly beforeReading?: () => Promise<void>;
  /** Called when the server has stopped, or cannot listen. */
  readonly end: () => Promise<void>;
}

export const managerEmulator = (services: Services): ServiceEmulator =>
  createEmulator(services, { unservedPaths: "notFound", sendsStreams: true, answerFailure: failureReply });

/** Snapshots may be of any size. */
export const filterFor = ({ method, path }: MethodAndPath) =>
  method === "PUT" && path === "/snapshot" ? new SnapshotReader() : undefined;

/** By these routes, a test ends the delays of other requests. */
const NEVER_DELAYED = /^\/(faults|reset)(\/|$)/;

/** @throws the system's error when it cannot listen there. */
export async function startManagerServer(
  { listen, trust, urls: apiServerUrls = () => NO_API_SERVERS, page, resolveApiServer }: ManagerSetup,
  { services, answer, answerForwarded, findImage, beforeReading, end }: ManagerParts,
): Promise<RunningServer> {
  const { store, clock, journal, faults, profile, answerOptions } = services;
  const emulator = managerEmulator(services);
  const healthChecked = managerEmulator(unnoticed(services));
  const forwarding = new ForwardingRoute(answerForwarded, resolveApiServer);
  // An API server's question is longer than its client's request.
  const extraBytesOf = (head: RequestHead) => (forwarding.serves(head) ? LONGEST_QUESTION_HEAD : 0);
  // An API server ends its side when its client has disconnected.
  const leavesAtEnd = (head: RequestHead) => forwarding.serves(head);
  const kindOf = (head: RequestHead) =>
    forwarding.kindOf(head) ??
    (isHealthCheck(head) ? "health" : NEVER_DELAYED.test(head.path) ? "faults" : "");
  const starting = startServer({ ...listen, filterFor, extraBytesOf, leavesAtEnd, kindOf }, (url) => {
    const { queryMatcher, targetRater, advice } = answerOptions;
    const pageParts = {
      ...{ store, clock, journal, faults, findImage, queryMatcher, targetRater, advice, beforeReading },
      urls: () => ({ ...apiServerUrls(), manager: url }),
    };
    let pageApi: PageApi | undefined;
    const answerPage = (request: WireRequest) => {
      pageApi ??= new PageApi(pageParts);
      return pageApi.answer(request);
    };
    return {
      answerMalformed: async (why, head) =>
        forwarding.serves(head)
          ? { response: forwarding.refuse(why) }
          : answerMalformed(emulator, ["manager"], why, head),
      answer: async (request) => {
        const distrust = whyDistrusted(request, trust);
        if (distrust !== undefined)
          return emulator.handle(["manager"], request, { status: 403, ...distrust });
        if (forwarding.serves(request)) return { response: await forwarding.respond(request) };
        if (isHealthCheck(request)) return healthChecked.handle(["manager"], request);
        if (request.path === "/requests") await beforeReading?.().catch(() => {});
        if (page === true && isForPage(request)) return { response: await answerPage(request) };
        const openApi = answerOpenApi(request, profile.name, (host) => ({
          ...apiServerUrls(host),
          manager: reachedUrl(url, listen.host, host),
        }));
        return openApi === undefined ? answer(request) : { response: openApi };
      },
    };
  });
  const server = await starting.catch(async (error: unknown) => {
    await end();
    throw error;
  });
  const after = (ending: Promise<void>) => ending.then(end);
  return {
    ...server,
    close: (graceSeconds) => after(server.close(graceSeconds)),
    kill: () => after(server.kill()),
  };
}

const OPENAPI_PATH = "/internal/openapi.json";

/** Answers `GET /internal/openapi.json?profile=…`; undefined for other routes. `own`: the default profile. */
function answerOpenApi(
  request: WireRequest,
  own: ProfileName,
  urlsFor: (host?: string) => PageState["urls"],
): WireResponse | undefined {
  const { method, path, query } = request;
  if (method !== "GET" || path !== OPENAPI_PATH) return undefined;
  const wanted = new URLSearchParams(query).get("profile") ?? own;
  const profile = PROFILE_NAMES.find((name) => name === wanted);
  if (profile === undefined) {
    const expected = PROFILE_NAMES.join(" or ");
    return bodyReply(400, "text/plain", `profile: expected ${expected}; got ${JSON.stringify(wanted)}`);
  }
  const { target, query: queryUrl, manager } = urlsFor(header(request, "host") || undefined);
  const document =
    target === null || queryUrl === null
      ? withoutServers(openApiDocument({ profile }))
      : openApiDocument({ profile, urls: { target, query: queryUrl, modelTarget: target, manager } });
  return bodyReply(200, "application/json", JSON.stringify(document));
}

/** The default servers are the real service's, to which no client may be led from here. */
const withoutServers = ({ paths, servers: _all, ...document }: OpenApiDocument) => ({
  ...document,
  paths: Object.fromEntries(Object.entries(paths).map(([path, { servers: _, ...item }]) => [path, item])),
});

/** Shared by the servers of one process. */
export interface LocalState {
  readonly store: MemoryStore;
  readonly clock: MovableClock;
  readonly journal: Journal;
  readonly faults: Faults;
  readonly random: Random;
  readonly consistency: Consistency;
}

/** The server that keeps all state, and has the emulator. */
export interface TargetManager extends Manager, LocalState {
  readonly store: MemoryStore;
}

/** Adds what a seed file holds by requests to the emulator of a manager, without journal entries. */
export function seedStore(seedFile: string, services: Services, onProgress?: StartProgress): Promise<void> {
  const emulator = managerEmulator(unnoticed(services));
  return seedFrom(seedFile, (request) => emulator.handle(["manager"], request), onProgress);
}

/** @param why - where the state is. */
export const seedNotRead = (seedFile: string, why: string): string =>
  `the seed file ${seedFile} was not read: ${why}`;

/** How added images are rated and prepared: for the query matchers of the manager, and of each API server that has asked. */
function imagePreparation({ queryMatcher, targetRater }: ResolvedAnswerOptions, isWanted: () => boolean) {
  const matchers = new Set([queryMatcher]);
  let assess = assessing(targetRater, [...matchers]);
  let prepare = backgroundPreparation([...matchers], isWanted);
  return {
    assess: (image: NewImage) => assess(image),
    prepare: (image: ComparedImage) => prepare?.(image),
    prepareFor: ({ queryMatcher: asked }: ResolvedAnswerOptions) => {
      if (matchers.has(asked)) return;
      matchers.add(asked);
      assess = assessing(targetRater, [...matchers]);
      prepare = backgroundPreparation([...matchers], isWanted);
    },
  };
}

/** @throws StateFileError; InvalidSeedError; the system's error when it cannot listen there. */
export async function startTargetManager(setup: ManagerSetup): Promise<TargetManager> {
  const { options, onEntry, stateFile, seedFile, complain = toStandardError, onProgress } = setup;
  const { profile, seed, answerOptions } = options;
  let isStopped = false;
  const images = imagePreparation(answerOptions, () => !isStopped);
  const store = new MemoryStore(images.assess, images.prepare);
  const state: LocalState = {
    store,
    clock: new MovableClock(options.clock),
    journal: new Journal(options.journalCapacity, options.journalBodyBytes),
    faults: createFaults(answerOptions),
    random: createRandom(seed),
    consistency: options.newConsistency(),
  };
  const { journal } = state;
  const services = { ...state, profile, answerOptions };
  const emulator = managerEmulator(services);
  const answerForwarded: AnswerForwarded = (own, asked) => {
    images.prepareFor(own.answerOptions);
    return answerForwardedRequest(asked, {
      ...services,
      profile: own.profile,
      answerOptions: own.answerOptions,
    });
  };
  // The other servers log their own entries.
  journal.events.response.on((entry) => {
    if (entry.api === "manager") onEntry?.(loggedOf(entry));
  });
  const fill = seedFile === undefined ? undefined : () => seedStore(seedFile, services, onProgress);
  const kept =
    stateFile === undefined
      ? undefined
      : await persistState(stateFile, store, { complain, onProgress, fill });
  if (kept === undefined) await fill?.();
  else if (kept.isRestored && seedFile !== undefined)
    complain(seedNotRead(seedFile, `the state file ${stateFile} exists`));
  const server = await startManagerServer(setup, {
    services,
    answer: (request) => emulator.handle(["manager"], request),
    answerForwarded,
    findImage: async (sha256) => store.state.images.find(sha256)?.bytes(),
    end: async () => {
      isStopped = true;
      await kept?.close();
    },
  });
  return {
    ...server,
    ...state,
    answerForwarded,
  };
}

export const toStandardError = (line: string): void => void process.stderr.write(`${line}\n`);

import { createEmulator, type Emulator } from "../apis/index.ts";
import type { Services } from "../apis/services.ts";
import type { JournalEntry } from "../emulator/journal.ts";
import type { MaybePromise, Result, WireRequest, WireResponse } from "../emulator/message.ts";
import { bodyReply } from "../emulator/plain.ts";
import { PROFILE_NAMES, type ProfileName } from "../emulator/profiles.ts";
import type { ResolvedOptions } from "../mock/options.ts";
import { openApiDocument } from "../openapi/document.ts";
import type { PageState } from "../page/model.ts";
import { PageApi } from "../page/page-api.ts";
import { INTERNAL_PREFIX } from "../store/manager/protocol.ts";
import { SnapshotUpload } from "../store/snapshot-upload.ts";
import type { Store } from "../store/store.ts";
import { failureReply, type Listen, type RunningServer, startServer } from "./server.ts";
import type { StartProgress } from "./start-progress.ts";
import { type TrustRules, whyDistrusted } from "./trusted-callers.ts";

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
  /** Called while the state file is read. */
  readonly onProgress?: StartProgress | undefined;
}

/** A server with the target manager's API, wherever the state is. */
export interface Manager extends RunningServer {
  readonly store: Store;
  /** Answers a request like one from the network, but without a journal entry. */
  readonly handleQuietly: (request: WireRequest) => Promise<Result>;
  /** Whether there was state already, or another manager is adding it, so that no seed file is needed. */
  readonly isRestored: boolean;
}

/** How a manager answers, depending on where the state is. */
export interface ManagerParts {
  readonly services: Services;
  /** Names this run of the manager. */
  readonly epoch: string;
  readonly answer: (request: WireRequest) => Promise<Result>;
  readonly findImage: (sha256: string) => MaybePromise<Buffer | undefined>;
  /** Called before the page or the journal is read. */
  readonly beforeReading?: () => Promise<void>;
  /** Called when the server has stopped, or cannot listen. */
  readonly end: () => Promise<void>;
}

export const managerEmulator = (services: Services): Emulator =>
  createEmulator(services, { unservedPaths: "notFound", sendsStreams: true, answerFailure: failureReply });

/** Snapshots may be of any size. */
export const filterFor = ({ method, path }: Pick<WireRequest, "method" | "path">) =>
  method === "PUT" && path === "/snapshot" ? new SnapshotUpload() : undefined;

/** @throws the system's error when it cannot listen there. */
export async function startManagerServer(
  { listen, trust, page }: ManagerSetup,
  { services, epoch, answer, findImage, beforeReading, end }: ManagerParts,
): Promise<RunningServer> {
  const { store, clock, journal, faults, profile, settings } = services;
  const emulator = managerEmulator(services);
  const starting = startServer({ ...listen, filterFor }, (url) => {
    const urls = page && (() => ({ ...page.urls(), manager: url }));
    const { queryMatcher } = settings;
    const pageApi =
      urls && new PageApi({ store, clock, epoch, journal, faults, findImage, queryMatcher, urls });
    return {
      apis: ["manager"],
      emulator,
      handle: async (request) => {
        const distrust = whyDistrusted(request, trust);
        if (distrust !== undefined)
          return emulator.handle(["manager"], request, { status: 403, ...distrust });
        const isForPage = pageApi?.serves(request) === true;
        if (isForPage || request.path === "/requests") await beforeReading?.().catch(() => {});
        if (isForPage) return { response: await pageApi.answer(request) };
        const openApi = answerOpenApi(request, profile.name);
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

const OPENAPI_PATH = `${INTERNAL_PREFIX}openapi.json`;

/**
 * Answers `GET /internal/openapi.json?profile=…` with the OpenAPI document of the four APIs; undefined for other routes.
 *
 * @param own - the default profile.
 */
function answerOpenApi({ method, path, query }: WireRequest, own: ProfileName): WireResponse | undefined {
  if (method !== "GET" || path !== OPENAPI_PATH) return undefined;
  const wanted = new URLSearchParams(query).get("profile") ?? own;
  const profile = PROFILE_NAMES.find((name) => name === wanted);
  if (profile === undefined) {
    const expected = PROFILE_NAMES.join(" or ");
    return bodyReply(400, "text/plain", `profile: expected ${expected}; got ${JSON.stringify(wanted)}`);
  }
  return bodyReply(200, "application/json", JSON.stringify(openApiDocument({ profile })));
}

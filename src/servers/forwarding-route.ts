import { LRUCache } from "lru-cache";
import { createEmulator } from "../core/apis/index.ts";
import type { ResolvedAnswerOptions, Services } from "../core/apis/services.ts";
import {
  header,
  type MalformedKind,
  type RequestHead,
  type WireRequest,
  type WireResponse,
} from "../core/emulator/message.ts";
import type { Profile } from "../core/emulator/profiles.ts";
import { bodyReply } from "../core/emulator/response.ts";
import { messageOf } from "../core/general/text.ts";
import { answerMalformed } from "../core/http/http-messages.ts";
import type { ApiName } from "../core/schema/protocol.ts";
import { API_SERVERS } from "../options/option.ts";
import { adviceOf } from "./advice.ts";
import {
  type ApiServerRole,
  FORWARD_PATH,
  type ForwardedRequest,
  type ForwardedResponse,
  loggedOf,
  OVERLOADED,
  packResponse,
  REFUSED,
  SERVER_HEADER,
  unpackRequest,
} from "./forwarding-messages.ts";
import { failureReply } from "./server.ts";
import { checkServerOptions, resolveServerOptions } from "./server-options.ts";

/** The APIs of each; the first one answers unserved paths. */
const SERVED: Readonly<Record<ApiServerRole, readonly [ApiName, ...ApiName[]]>> = {
  "target-api": ["target", "modelTarget"],
  query: ["query"],
};

export interface ApiServerOptions {
  readonly profile: Profile;
  readonly answerOptions: ResolvedAnswerOptions;
}

export type AnswerForwarded = (
  options: ApiServerOptions,
  asked: ForwardedRequest,
) => Promise<ForwardedResponse>;

/** Answers with an emulator for this one request: the state is the manager's, the options are the API server's. */
export async function answerForwardedRequest(
  { role, request, malformed }: ForwardedRequest,
  services: Services,
): Promise<ForwardedResponse> {
  // Of this request only, to find its entry, which the manager's journal gets too.
  const journal = services.journal.ofOneRequest();
  const emulator = createEmulator(
    { ...services, journal },
    { unservedPaths: "notFound", answerFailure: failureReply },
  );
  const apis = SERVED[role];
  const result = await (malformed === undefined
    ? emulator.handle(apis, request)
    : answerMalformed(emulator, apis, malformed, request));
  const entry = journal.at(1);
  return { result, logged: entry && loggedOf(entry) };
}

const identified = (response: WireResponse): WireResponse => ({
  ...response,
  headers: [[SERVER_HEADER, "target-manager"], ...response.headers],
});

const MOST_SETTINGS = 100;

/** The route by which API servers in other processes reach the emulator. */
export class ForwardingRoute {
  /** Made for the first question: most managers share a process with their API servers, which ask none. */
  private known: LRUCache<string, ApiServerOptions> | undefined;

  /** @param resolve - reads an API server's settings. */
  constructor(
    private readonly answer: AnswerForwarded,
    private readonly resolve: (settings: string) => ApiServerOptions = resolveSettings,
  ) {}

  serves({ path }: RequestHead): boolean {
    return path === FORWARD_PATH;
  }

  /** Each role's questions leave places for others, and refusals for questions; undefined for other routes. */
  kindOf(head: RequestHead): string | undefined {
    if (!this.serves(head)) return undefined;
    const self = header(head, SERVER_HEADER);
    const role = API_SERVERS.find((server) => self?.startsWith(`${server} `) === true);
    return `${role} ${head.query === REFUSED ? REFUSED : ""}`;
  }

  async respond({ method, body, gone }: WireRequest): Promise<WireResponse> {
    if (method !== "POST") return identified(bodyReply(404, "text/plain", "expected POST"));
    const answered = await this.asked(body, gone);
    if (typeof answered === "string") return identified(bodyReply(400, "text/plain", answered));
    const packed = packResponse(answered);
    return identified({ status: 200, headers: [["Content-Length", String(packed.length)]], body: packed });
  }

  /** Refuses a question that could not be read. */
  refuse(why: MalformedKind): WireResponse {
    return identified(bodyReply(why === "overloaded" ? OVERLOADED : 400, "text/plain", why));
  }

  /** Returns an error as text. */
  private async asked(body: Buffer, gone: AbortSignal | undefined): Promise<ForwardedResponse | string> {
    this.known ??= new LRUCache({ max: MOST_SETTINGS });
    let asked: ReturnType<typeof unpackRequest>;
    let options: ApiServerOptions;
    try {
      asked = unpackRequest(body);
      options = this.known.get(asked.settings) ?? this.resolve(asked.settings);
    } catch (error) {
      return messageOf(error);
    }
    this.known.set(asked.settings, options);
    return this.answer(options, { ...asked, request: { ...asked.request, gone } });
  }
}

/** @throws an error that says what is wrong with the settings. */
const resolveSettings = (text: string): ApiServerOptions =>
  resolveServerOptions(checkServerOptions(JSON.parse(text)), adviceOf("query"));

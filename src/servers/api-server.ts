import { consistent } from "../core/apis/targets-view.ts";
import { MovableClock, systemClock } from "../core/emulator/clock.ts";
import { Faults } from "../core/emulator/faults.ts";
import { Journal } from "../core/emulator/journal.ts";
import { header, type RequestHead, type Result } from "../core/emulator/message.ts";
import { systemRandom } from "../core/emulator/random.ts";
import { bodyReply } from "../core/emulator/response.ts";
import { type Listen, MAX_REQUESTS, type RunningServer, startServer } from "../core/http/listen.ts";
import type { Store } from "../core/store/store.ts";
import { StateUnavailableError } from "../core/store/store.ts";
import type { ResolvedOptions } from "../options/options.ts";
import {
  type ApiServerRole,
  type ForwardedRequest,
  type LoggedFacts,
  SERVER_HEADER,
} from "./forwarding-messages.ts";
import { type AnswerForwarded, type ApiServerOptions, answerForwardedRequest } from "./forwarding-route.ts";
import { connectToManager, type ManagerAddress, OverloadedError } from "./manager-link.ts";
import { isHealthCheck } from "./server.ts";
import type { ServerOptions } from "./server-options.ts";

/** A manager in another process, and the API server's options for it. */
interface ManagerElsewhere extends ManagerAddress {
  /** @param url - the API server's URL. */
  readonly settings: (url: string) => ServerOptions;
}

export interface ApiServerSetup {
  readonly listen: Listen;
  /** A manager in this process, or elsewhere. */
  readonly manager: { readonly answerForwarded: AnswerForwarded } | ManagerElsewhere;
  /** @param url - the server's URL. */
  readonly options: (url: string) => ResolvedOptions;
  readonly onEntry?: ((logged: LoggedFacts) => void) | undefined;
}

/**
 * Starts the target API server or the query server, which passes requests to the target manager's emulator and has no state. Without
 * the manager, it answers only requests that need no state. Decision 0007.
 *
 * @throws the system's error if it cannot listen.
 */
export async function startApiServer(
  role: ApiServerRole,
  { listen, manager, options, onEntry }: ApiServerSetup,
): Promise<RunningServer> {
  const self = `${role} ${systemRandom.hex(16)}`;
  const { answering, close } =
    "answerForwarded" in manager ? here(manager.answerForwarded) : elsewhere(manager, self);
  const kindOf = (head: RequestHead) => (isHealthCheck(head) ? "health" : "");
  const { maxRequests: most = MAX_REQUESTS } = listen;
  // A manager elsewhere refuses questions: only there it is known which ones wait for their turn.
  const maxRequests = "answerForwarded" in manager ? most : 2 * most;
  const server = await startServer({ ...listen, kindOf, maxRequests }, (url) => {
    const own = options(url);
    const ask = answering(url);
    const answer = async (asked: ForwardedRequest): Promise<Result> => {
      if (isHealthCheck(asked.request)) return (await answerHealthCheck(own, asked)).result;
      const { result, logged } = await ask(own, asked);
      if (logged !== undefined) onEntry?.(logged);
      return result;
    };
    return {
      answer: async (request) =>
        header(request, SERVER_HEADER) === undefined ? answer({ role, request }) : notATargetManager(self),
      answerMalformed: (malformed, head) =>
        answer({ role, request: { ...head, body: Buffer.alloc(0) }, malformed }),
    };
  });
  const after = (ending: Promise<void>) => ending.then(close);
  return { ...server, close: (grace) => after(server.close(grace)), kill: () => after(server.kill()) };
}

const here = (answer: AnswerForwarded) => ({ answering: () => answer, close: () => {} });

function elsewhere(manager: ManagerElsewhere, self: string) {
  const { ask, close } = connectToManager(manager, self);
  const answering = (url: string): AnswerForwarded => {
    const settings = JSON.stringify(manager.settings(url));
    return (own, asked) =>
      ask(settings, asked).catch((error: Error) => {
        if (!(error instanceof OverloadedError)) return answerAlone(own, asked, error);
        const request = { ...asked.request, body: Buffer.alloc(0) };
        const refused: ForwardedRequest = { ...asked, request, malformed: "overloaded" };
        // The manager records it.
        return ask(settings, refused).catch(() => answerAlone(own, refused, error));
      });
  };
  return { answering, close };
}

/** Answers health checks here: without a journal entry, fault or delay. */
function answerHealthCheck({ profile, answerOptions }: ApiServerOptions, asked: ForwardedRequest) {
  const error = new StateUnavailableError("health checks do not ask the target manager");
  return answerAlone({ profile, answerOptions: { ...answerOptions, responseDelaySeconds: 0 } }, asked, error);
}

/** Requests that need the state get 502. */
const answerAlone = (own: ApiServerOptions, asked: ForwardedRequest, error: Error) =>
  answerForwardedRequest(asked, {
    clock: new MovableClock(systemClock),
    random: systemRandom,
    profile: own.profile,
    answerOptions: own.answerOptions,
    journal: new Journal(1),
    faults: new Faults([]),
    consistency: consistent,
    store: storeAway(error),
  });

function storeAway(error: Error): Store {
  const fails = () => Promise.reject(error);
  const store: Store = {
    forRequest: () => store,
    read: fails,
    run: fails,
    takeRateToken: fails,
    revision: fails,
  };
  return store;
}

/** Answers another API server that mistakes this one for its target manager. */
function notATargetManager(self: string): Result {
  const line = `this is not a target manager but a ${self.split(" ", 1)[0]} server`;
  const reply = bodyReply(421, "text/plain", line);
  return { response: { ...reply, headers: [...reply.headers, [SERVER_HEADER, self]] } };
}

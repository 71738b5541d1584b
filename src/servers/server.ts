import type { Services } from "../core/apis/services.ts";
import { Faults } from "../core/emulator/faults.ts";
import { Journal } from "../core/emulator/journal.ts";
import { header, type RequestHead } from "../core/emulator/message.ts";
import type { ServerRefusal } from "../core/emulator/router.ts";
import { bounded, messageOf } from "../core/general/text.ts";
import { DecoderError } from "../core/images/decoder-error.ts";
import { cause } from "../core/schema/causes/causes.ts";
import { StateUnavailableError } from "../core/store/store.ts";

/** Called while servers start: with targets of a seed file, or megabytes of a state file. */
export type StartProgress = (what: "targets" | "state", done: number, total: number) => void;

export const HEALTH_CHECK_AGENT = "mock-cloud-reco-healthcheck";
const HEALTH_CHECK_AGENTS = [HEALTH_CHECK_AGENT, "kube-probe"];

/** Containers and Kubernetes send one every few seconds. */
export const isHealthCheck = (request: RequestHead): boolean =>
  request.method === "GET" && HEALTH_CHECK_AGENTS.includes(productOf(header(request, "user-agent") ?? ""));

const productOf = (userAgent: string): string => userAgent.split("/", 1)[0] ?? "";

/** Requests of health checks and of servers themselves get no journal entry, fault or delay. */
export const unnoticed = <Given extends Services>(services: Given): Given => ({
  ...services,
  journal: new Journal(1),
  faults: new Faults([]),
  answerOptions: { ...services.answerOptions, responseDelaySeconds: 0 },
});

/** One line of text for a failure of the emulator itself: 502 while the state is unavailable, 503 for the decoder, otherwise 500. */
export function failureReply(error: unknown): ServerRefusal {
  const said = messageOf(error).replace(/\s+/g, " ");
  const facts = { error: bounded(said) };
  if (error instanceof DecoderError)
    return { status: 503, refusedBy: "imageDecoder", cause: cause("decoder.failed", facts) };
  if (error instanceof StateUnavailableError)
    return { status: 502, refusedBy: "targetManager", cause: cause("manager.unreachable", facts) };
  const why = cause("emulator.failed", { ...facts, isServer: true });
  return { status: 500, refusedBy: "emulator", cause: why, line: `the emulator failed: ${said}` };
}

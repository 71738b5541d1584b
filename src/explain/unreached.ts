import { loadedNativeClients } from "../core/general/native-clients.ts";
import { propertyOf } from "../core/general/property.ts";
import { messageIn } from "./errors.ts";

const MOST_CAUSES = 5;

function causesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  for (let each = error; each != null && causes.length < MOST_CAUSES; each = propertyOf(each, "cause"))
    causes.push(each);
  return causes;
}

/** Errors of requests that were never sent, or that another interceptor refused. */
const UNSENT: readonly (readonly [error: RegExp, why: string])[] = [
  [
    /ERR_INVALID_CHAR|invalid (authorization )?header/i,
    "A header has a character that HTTP does not allow, such as the line feed at the end of a file that a key was read from: trim it.",
  ],
  [
    /The "key" argument must be .* Received undefined/,
    "The client has no secret key to sign with: create it with the keys of a database, as addCloudDatabase() or the fixture returns it.",
  ],
  [
    /UND_MOCK_ERR/,
    "Undici's MockAgent answers in place of the mock: remove it, or let it allow the mock's hosts with enableNetConnect.",
  ],
  [
    /Nock: No match for request/,
    "A nock interceptor of that host, which is not the mock's, refused the request: remove it with nock.cleanAll().",
  ],
];

/** Says why an error kept a request from being sent; undefined when it did not. */
export function explainUnsent(error: unknown): string | undefined {
  const texts = causesOf(error).map((each) => `${String(propertyOf(each, "code"))} ${messageIn(each)}`);
  return UNSENT.find(([pattern]) => texts.some((text) => pattern.test(text)))?.[1];
}

/** Says that fake timers keep HTTP clients waiting; undefined if they fake nothing that clients need. */
export const explainFaked = (names: readonly string[]): string | undefined =>
  names.length === 0
    ? undefined
    : `Fake timers replace ${[...new Set(names)].join(" and ")}, without which HTTP clients wait for ever: ` +
      'leave them real, as sinon.useFakeTimers({ toFake: ["Date"] }) does.';

const isInDom = (): boolean =>
  typeof Reflect.get(globalThis, "document") === "object" &&
  typeof Reflect.get(globalThis, "XMLHttpRequest") === "function";

/** Says what to check when no request reached a mock, although it intercepts. */
export function explainUnreached(urls: readonly string[]): string {
  const leaving = loadedNativeClients().join(" and ");
  if (leaving !== "")
    return (
      `No request reached the mock. It serves ${urls.join(", ")}. This process has loaded ${leaving}, whose requests do not pass ` +
      "through Node and reach the real service: call startServers() and send them to its URLs."
    );
  const check = isInDom()
    ? "This test runs in a DOM environment, whose requests follow a browser's rules (axios sends them by XMLHttpRequest): put " +
      '"// @vitest-environment node", or "/** @jest-environment node */", at the top of its file.'
    : "Check the scheme and the host that the client uses, and that nothing else intercepts it (nock, MSW, MockAgent).";
  return `No request reached the mock. It serves ${urls.join(", ")}. ${check}`;
}

import type { JournalEntry } from "../core/emulator/journal.ts";
import { propertyOf } from "../core/general/property.ts";
import { fakedFunctions } from "../core/general/real-timers.ts";
import { wrapped } from "../core/general/text.ts";
import { hasCode } from "../core/schema/causes/causes.ts";
import { isThrownHere } from "./caller.ts";
import { messageIn } from "./errors.ts";
import { type Evidence, type ExplainedMock, INCONSISTENT } from "./evidence.ts";
import { formatJournal } from "./journal-text.ts";
import {
  explainEarlyFinish,
  explainUnlimited,
  explainUnused,
  explainUselessFinish,
  isAboutProcessing,
} from "./surprises.ts";
import { explainFaked, explainUnreached, explainUnsent } from "./unreached.ts";

/** The newest requests are shown, because they usually made the test fail. */
const MAX_SHOWN = 5;

/** Whether a test failed because it took too long. */
export const isTimeout = (error: unknown): boolean => /tim(ed|e) ?-?out/i.test(messageIn(error));

/** Whether the test or its client stopped waiting. */
const gaveUp = (error: unknown): boolean => isTimeout(error) || /\babort/i.test(messageIn(error));

/** Whether a request was signed with a key of an earlier test. */
export const isLeftOver = ({ cause }: JournalEntry): boolean =>
  hasCode(cause, (code) => code === "key.left-over");

const SECTIONS = [
  [INCONSISTENT, "inconsistent", "request", "requests"],
  ["The mock refused", "refused", "request", "requests"],
  ["No target matched", "unmatched", "query", "queries"],
  ["A fault of this test applied to", "faulted", "request", "requests"],
  ["The mock has a note on", "noted", "request", "requests"],
] as const;

const PAUSED =
  "The test's time limit ended mock.page.pause(): set MOCK_CLOUD_RECO_PAUSE=1, which lifts the limit of tests with a fixture.";

/**
 * Explains why a test may have failed, from what the mock received.
 *
 * @param error - what the test failed with; requests that its message already describes are left out.
 * @param whyUnreached - why no request could reach the mock when the test ended.
 * @returns undefined when the requests explain nothing.
 */
export function explainFailure(
  mock: ExplainedMock,
  evidence: Pick<
    Evidence,
    | "arrived"
    | "refused"
    | "inconsistent"
    | "unmatched"
    | "faulted"
    | "noted"
    | "ofOthers"
    | "isAdding"
    | "faked"
  >,
  error: unknown,
  whyUnreached?: string,
): string | undefined {
  const known = explainUnsent(error) ?? (isTimeout(error) && mock.page.isPaused ? PAUSED : undefined);
  if (known !== undefined) return wrapped(known);
  const shown = messageIn(error);
  const paragraph = (heading: string, entries: readonly JournalEntry[], one: string, many: string) => {
    const left = entries.filter((entry) => !shown.includes(formatJournal([entry])));
    return left.length === 0 ? [] : [`${heading} ${listed(left, one, many)}`];
  };
  const others = paragraph(
    "Another mock of this process, not the fixture's, refused",
    mock.requestsOf({ refused: true }, evidence.ofOthers),
    "request",
    "requests",
  );
  const faked = gaveUp(error) ? explainFaked([...evidence.faked, ...fakedFunctions()]) : undefined;
  if (evidence.arrived === 0) {
    if (!mayComeFromRequest(error)) return undefined;
    if (faked !== undefined) return wrapped(faked);
    if (evidence.ofOthers.length > 0) return others[0] && wrapped(others[0]);
    if (whyUnreached !== undefined) return wrapped(`No request reached the mock: it ${whyUnreached}.`);
    const { finish } = mock.arranged;
    const unreached = explainUnreached([...new Set(Object.values(mock.urls))]);
    return wrapped([(finish && explainUselessFinish(finish)) ?? [], unreached].flat().join("\n"));
  }
  const paragraphs = SECTIONS.flatMap(([heading, of, one, many]) =>
    paragraph(heading, evidence[of], one, many),
  );
  const { unusedFaults, responseDelaySeconds, finish, limits } = mock.arranged;
  const told = SECTIONS.flatMap(([, of]) => evidence[of]);
  const early = finish && explainEarlyFinish(finish, evidence.isAdding, told.some(isAboutProcessing));
  const all = [
    ...(paragraphs.length > 0 ? paragraphs : others),
    ...(early === undefined ? [] : [early]),
    ...(faked === undefined ? [] : [faked]),
    ...(responseDelaySeconds > 0 && gaveUp(error)
      ? [`Each response waits for ${responseDelaySeconds} s, as the option responseDelaySeconds says.`]
      : []),
    ...explainUnlimited(limits, mock.requests),
    ...unusedFaults.map((unused) => explainUnused(unused, mock.requests)),
  ];
  return all.length === 0 ? undefined : wrapped(all.join("\n"));
}

/** Explains a timeout: the test waits for targets, but the mock's clock does not move. */
export function explainTimeout(
  mock: ExplainedMock,
  { clockStandsStill }: { readonly clockStandsStill: boolean },
  error: unknown,
): string | undefined {
  if (!isTimeout(error) || !clockStandsStill) return undefined;
  const processing = mock.arranged.processingTargets;
  if (processing === 0) return undefined;
  const what = processing === 1 ? "1 target is" : `${processing} targets are`;
  return `${what} still processing, but the clock does not move: advance it, or call mock.finishProcessing().`;
}

/** Mistakes before any request: errors of the mock's functions and of JavaScript. */
const MISTAKES = new Set([
  "InvalidOptionError",
  "MissingSchemeError",
  "InvalidSnapshotError",
  "ReferenceError",
  "SyntaxError",
  "RangeError",
]);
const MISTAKE = /is not (a function|a constructor|iterable|defined)|^Cannot (read|set|destructure)/;
const CONNECTION = /fetch|network|socket|connect|request|ECONN|ENOTFOUND|EAI_AGAIN|URL/i;

/** Whether a test may have failed because no request arrived. Not by class: it may be of another realm. */
function mayComeFromRequest(error: unknown): boolean {
  const name = propertyOf(error, "name");
  const message = messageIn(error);
  if (
    MISTAKES.has(String(name)) ||
    MISTAKE.test(message) ||
    message.includes("[MSW]") ||
    isThrownByMock(error)
  )
    return false;
  return name !== "TypeError" || CONNECTION.test(message);
}

/** Whether a function of this package threw an error that is not about a connection. */
function isThrownByMock(error: unknown): boolean {
  if (propertyOf(error, "code") !== undefined || /fetch failed/.test(messageIn(error))) return false;
  return isThrownHere(propertyOf(error, "stack"));
}

/** Counts requests and lists the newest ones. */
export function listed(entries: readonly JournalEntry[], one: string, many: string): string {
  const left = entries.length - MAX_SHOWN;
  const count = entries.length === 1 ? `1 ${one}` : `${entries.length} ${many}`;
  const shown = wrapped(formatJournal(entries.slice(-MAX_SHOWN)));
  return `${count}${left > 0 ? `, the last ${MAX_SHOWN} of them` : ""}:\n${shown}`;
}

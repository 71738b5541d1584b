import type { CauseCode, JournalEntry } from "mock-cloud-reco";
import { expect } from "vitest";

/** Each sentence that can be followed begins with one of these. */
const IMPERATIVES: ReadonlySet<string> = new Set(
  (
    "add advance announce append ask await begin call check choose close compute convert correct decode delete double download encode end escape extract " +
    "get give join keep leave let make name percent-encode put read raise remove request run save scale send separate serialise set sign swap " +
    "take trim unpack use wait write"
  ).split(" "),
);

/** Codes whose sentence begins in another way, and why. */
const STATUS = "begins with what became of a target or request, as the lines of other targets do";
const ERROR = "is the message of an error";
const RESPONSE = "is also the body of a response";
const EXCEPTIONS: Readonly<Partial<Record<CauseCode, string>>> = {
  "target.failed": STATUS,
  "realism.not-visible": STATUS,
  "realism.still-found": STATUS,
  "realism.not-counted": STATUS,
  "realism.accepted": STATUS,
  "client.form-encoded": "there is nothing to change",
  "connection.refused": ERROR,
  "emulator.failed": ERROR,
  "decoder.failed": ERROR,
  "manager.unreachable": ERROR,
  "http.malformed": RESPONSE,
  "body.too-large": RESPONSE,
  "content-length.malformed": RESPONSE,
  "header.too-long": RESPONSE,
};

/** What the journal says of a request. The manager's reasons are also the bodies of its answers. */
type Told = Readonly<Partial<Pick<JournalEntry, "api" | "cause" | "reason">>>;

/** Tries that what to change comes first in each reason that is no fault's. */
export function expectAdviceFirst(entries: readonly Told[]): void {
  const others = entries.flatMap(({ api, cause, reason = "" }) => {
    const [verb = ""] = /^[\w-]+/.exec(reason) ?? [];
    const isFree =
      cause === undefined ||
      cause.kind === "fault" ||
      api === "manager" ||
      EXCEPTIONS[cause.code] !== undefined;
    return isFree || IMPERATIVES.has(verb) ? [] : [`${cause.code}: ${reason}`];
  });
  expect(others).toEqual([]);
}

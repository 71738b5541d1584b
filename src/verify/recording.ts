import * as z from "zod/mini";
import { maskHeaders } from "../emulator/masking.ts";
import { type HeaderList, header } from "../emulator/message.ts";
import { PROFILE_NAMES, type ProfileName, profiles } from "../emulator/profiles.ts";
import { isJsonObject } from "../schema/kernel/values.ts";
import { type Fact, KEY_PAIRS, type Keys, type Received, type Situation } from "./fact.ts";
import { UNKNOWN_ID } from "./requests.ts";
import type { Exchange, Outcome } from "./run.ts";
import { bytesOf, differences } from "./template.ts";

export const FORMAT = "mock-cloud-reco recording";
export const VERSION = 1;

const text = z.string();
const headers = z.readonly(z.array(z.readonly(z.tuple([text, text]))));
const bytes = z.number();
/** Made when it is first used, like all schemas. */
const recordingOf = () =>
  z.object({
    format: z.literal(FORMAT),
    version: z.literal(VERSION),
    profile: z.enum(PROFILE_NAMES),
    recorded: text,
    facts: z.record(
      text,
      z.object({
        result: z.enum(["holds", "differs", "notTried"]),
        request: z.object({ method: text, path: text, headers, bodyBytes: bytes }),
        response: z.object({
          status: z.number(),
          headers,
          /** Decoded; of what is not text, how it begins. */
          body: text,
          /** On the wire. */
          bodyBytes: bytes,
          continued: z.exactOptional(z.boolean()),
          protocol: z.exactOptional(text),
        }),
        /** What the expected response refers to. */
        at: z.object({
          now: z.iso.datetime(),
          ...{ targetId: text, targetName: text, newName: text },
          databaseId: z.optional(text),
          given: z.record(text, text),
        }),
      }),
    ),
  });

/** What a service answered, without secrets, and with other ids. `examples/verify/README.md` describes the file. */
export type Recording = z.output<ReturnType<typeof recordingOf>>;
/** What one fact showed in a run. */
type RecordedFact = Recording["facts"][string];

/**
 * Reads a recording.
 *
 * @throws Error that says what is wrong, without values of the file: it may be another one, with secrets.
 */
export function readRecording(content: string): Recording {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    throw new Error("it is not JSON");
  }
  if (!isJsonObject(value) || value.format !== FORMAT) throw new Error(`it has no "format": "${FORMAT}"`);
  const { version } = value;
  if (version !== VERSION) {
    const shown = typeof version === "number" ? `version ${version}` : "no version";
    throw new Error(`it has ${shown}; expected version ${VERSION}`);
  }
  const read = recordingOf().safeParse(value);
  if (read.success) return read.data;
  throw new Error(`${read.error.issues[0]?.path.join(".")} is not as this package writes it`);
}

/** One point in which a service answers otherwise than in a recording. */
export interface Change {
  readonly id: string;
  readonly what: string;
  readonly before: string;
  readonly now: string;
}

const LONGEST_BODY = 200_000;
const LONGEST_HEADER = 200;
/** The beginning of an image or an archive says what it is. */
const LONGEST_BEGINNING = 16;
const PREFIX = "verify-00000000-";

/** Replaces ids, by others of the same form and the same ones everywhere, and the prefix of names. */
function idMasker(known: readonly string[]): (text: string) => string {
  const ids = new Map([[UNKNOWN_ID, UNKNOWN_ID]]);
  const masked = (id: string): string => {
    const other = ids.get(id) ?? String(ids.size).padStart(32, "0");
    ids.set(id, other);
    return other;
  };
  const patterns = known.map((id) => new RegExp(`(?<![\\w-])${id.replaceAll(/\W/g, "\\$&")}(?![\\w-])`, "g"));
  return (text) => {
    const plain = patterns.reduce((rest, one) => rest.replaceAll(one, masked), text);
    return plain
      .replaceAll(/verify-[0-9a-f]{8}-/g, PREFIX)
      .replaceAll(/(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/g, masked)
      .replaceAll(/("(?:client_id|clientId)":")(?!0{16})[^"]*/g, "$1masked")
      .replaceAll(/<RequestId>[^<]*/g, "<RequestId>0000000000000000")
      .replaceAll(/<HostId>[^<]*/g, "<HostId>masked")
      .replaceAll(
        /("database_name":"|"name":"(?=[^"]*","(?:active_images|result_code)"))[^"]*/g,
        "$1database",
      );
  };
}

/** What is shorter occurs in other words too. */
const SHORTEST_ID = 6;

/** Ids that are no 32 hexadecimal digits, perhaps. */
const idsOf = ({ at: { keys }, given }: Exchange): readonly string[] =>
  [...KEY_PAIRS.map(([name]) => keys[name]), keys.databaseId, given.client_id]
    .filter((id) => id !== undefined)
    .filter(({ length }) => length >= SHORTEST_ID);

/**
 * Keeps what was sent and answered.
 *
 * @param hide - removes secrets from a text.
 */
export function record(
  profile: ProfileName,
  now: Date,
  outcomes: readonly Outcome[],
  hide: (text: string) => string,
): Recording {
  const known = outcomes.flatMap(({ exchange }) => (exchange === undefined ? [] : idsOf(exchange)));
  const maskIds = idMasker([...new Set(known)].sort((a, b) => b.length - a.length));
  const mask = (text: string): string => maskIds(hide(text));
  const facts = outcomes.flatMap(({ fact, result, exchange }): [string, RecordedFact][] =>
    exchange === undefined ? [] : [[fact.id, { result, ...recorded(exchange, mask) }]],
  );
  return {
    format: FORMAT,
    version: VERSION,
    profile,
    recorded: now.toISOString(),
    facts: Object.fromEntries(facts),
  };
}

function recorded(
  { request, response, at, given }: Exchange,
  mask: (text: string) => string,
): Omit<RecordedFact, "result"> {
  const masked = (headers: HeaderList): HeaderList =>
    maskHeaders(headers).map(([name, value]) => {
      const shown = mask(value.replace(/‹key [^›]*›/, "‹key›"));
      return [name, shown.slice(0, LONGEST_HEADER)] as const;
    });
  const bytes = bytesOf(response);
  const text = bytes.toString();
  const isText = Buffer.from(text).equals(bytes);
  const { status, continued, protocol } = response;
  return {
    request: {
      method: request.method,
      path: mask(request.path),
      headers: masked(Object.entries(request.headers)),
      bodyBytes: request.body?.length ?? 0,
    },
    response: {
      status,
      headers: masked(response.headers),
      body: isText ? mask(text).slice(0, LONGEST_BODY) : `${text.slice(0, LONGEST_BEGINNING)}…`,
      bodyBytes: response.body.length,
      ...(continued !== undefined && { continued }),
      ...(protocol !== undefined && { protocol }),
    },
    at: {
      now: at.now.toISOString(),
      targetId: mask(at.targetId),
      targetName: mask(at.targetName),
      newName: mask(at.newName),
      ...(at.keys.databaseId !== undefined && { databaseId: mask(at.keys.databaseId) }),
      given: Object.fromEntries(Object.entries(given).map(([name, value]) => [name, mask(value)])),
    },
  };
}

/** Checks facts against a recording, without a service. */
export const replay = (facts: readonly Fact[], recording: Recording): readonly Outcome[] =>
  facts.map((fact): Outcome => {
    const one = recording.facts[fact.id];
    if (one === undefined) return { fact, result: "notTried", why: "not in the recording" };
    if (one.result === "notTried")
      return { fact, result: "notTried", why: "the recorded response was not the final one" };
    const found = differences(fact.expected(situationOf(one, recording.profile)), receivedOf(one));
    return found.length === 0 ? { fact, result: "holds" } : { fact, result: "differs", differences: found };
  });

function situationOf({ at }: RecordedFact, profile: ProfileName): Situation {
  const { now, given, databaseId, ...rest } = at;
  const keys: Keys = { databaseId };
  return {
    ...{ ...rest, keys, profile: profiles[profile], now: new Date(now), token: "" },
    named: (name) => PREFIX + name,
    given: (name) => given[name] ?? "",
  };
}

/** As it was on the wire but for the encoding; the length that was right is right again. */
function receivedOf({ response }: RecordedFact): Received {
  const { body: text, bodyBytes, headers, ...rest } = response;
  const body = Buffer.from(text);
  const wasRight = header({ headers }, "content-length") === String(bodyBytes);
  const lengthened = headers.map(([name, value]) =>
    wasRight && name.toLowerCase() === "content-length"
      ? ([name, String(body.length)] as const)
      : ([name, value] as const),
  );
  return { ...rest, headers: lengthened, body };
}

/** What differs from one run to the next although nothing changed: ids, dates, numbers, the prefix of names. */
const steady = (text: string): string =>
  text
    .replaceAll(/\b[0-9a-f]{32}\b/g, "<id>")
    .replaceAll(/"<id>"(,"<id>")*/g, '"<id>"')
    .replaceAll(/\[("<id>")?\]/g, "[<ids>]")
    .replaceAll(/\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT/g, "<date>")
    .replaceAll(/\d{4}-\d{2}(-\d{2}(T[\d:.]+Z|-\d{2}(?=\.csv))?)?(?!\d)/g, "<date>")
    .replaceAll(/\d{8}T\d{6}Z|(?<=%2F)\d{8}(?=%2F)/g, "<date>")
    .replaceAll(/<(RequestId|HostId)>[^<]*/g, "<$1><id>")
    .replaceAll(/"(client_id|clientId)":"[^"]*"/g, '"$1":"<id>"')
    .replaceAll(/:-?\d+(\.\d+)?(?=[,}\]])/g, ":<number>")
    .replaceAll(/"access_token":"[^"]*"/g, '"access_token":"<token>"');

/** Headers as lines in alphabetical order; those of lengths and times vary. */
const lines = (headers: HeaderList): readonly string[] =>
  headers.map(([name, value]) => `${name}: ${/^\d+$/.test(value) ? "<integer>" : steady(value)}`).sort();

/** What the responses of two runs to the same facts have not in common. */
export function compare(earlier: Recording, later: Recording): readonly Change[] {
  return Object.entries(later.facts).flatMap(([id, { response: now }]): Change[] => {
    const before = earlier.facts[id]?.response;
    if (before === undefined) return [];
    const points: readonly (readonly [string, string, string])[] = [
      ["status", String(before.status), String(now.status)],
      [
        "headers",
        without(lines(before.headers), lines(now.headers)),
        without(lines(now.headers), lines(before.headers)),
      ],
      ["body", steady(before.body), steady(now.body)],
    ];
    return points.flatMap(([what, was, is]) => (was === is ? [] : [{ id, what, before: was, now: is }]));
  });
}

const without = (some: readonly string[], others: readonly string[]): string =>
  some.filter((line) => !others.includes(line)).join("; ");

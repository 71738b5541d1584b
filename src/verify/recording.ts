import { maskHeaders } from "../emulator/masking.ts";
import type { HeaderList } from "../emulator/message.ts";
import type { Outcome } from "./run.ts";
import { textOf } from "./template.ts";

/** What one fact showed in a saved run. */
interface RecordedFact {
  readonly result: Outcome["result"];
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: HeaderList;
    readonly bodyBytes: number;
  };
  readonly response: { readonly status: number; readonly headers: HeaderList; readonly body: string };
}

/** A saved run: requests and responses, without secrets. */
export interface Recording {
  readonly version: 1;
  readonly profile: string;
  readonly facts: Readonly<Record<string, RecordedFact>>;
}

/** One point in which a service answers otherwise than in a saved run. */
export interface Change {
  readonly id: string;
  readonly what: string;
  readonly before: string;
  readonly now: string;
}

const LONGEST_BODY = 20_000;

const LONGEST_HEADER = 200;
const LONGEST_BEGINNING = 4;

/**
 * Keeps what was sent and answered.
 *
 * @param hide - removes secrets from a text.
 */
export function record(
  profile: string,
  outcomes: readonly Outcome[],
  hide: (text: string) => string,
): Recording {
  const hidden = (headers: HeaderList): HeaderList =>
    maskHeaders(headers).map(([name, value]) => [name, hide(value).slice(0, LONGEST_HEADER)] as const);
  const facts = outcomes.flatMap(({ fact, result, exchange }): [string, RecordedFact][] => {
    if (exchange === undefined) return [];
    const { method, path, headers, body } = exchange.request;
    const { response } = exchange;
    return [
      [
        fact.id,
        {
          result,
          request: {
            method,
            path: hide(path),
            headers: hidden(Object.entries(headers)),
            bodyBytes: body?.length ?? 0,
          },
          response: {
            status: response.status,
            headers: hidden(response.headers),
            body: recordedBody(hide(textOf(response))),
          },
        },
      ],
    ];
  });
  return { version: 1, profile, facts: Object.fromEntries(facts) };
}

/** Text; of anything else, how it begins. */
const recordedBody = (text: string): string =>
  text.includes("\ufffd") ? `${text.slice(0, LONGEST_BEGINNING)}…` : text.slice(0, LONGEST_BODY);

/** What differs from one run to the next although nothing changed: ids, dates, numbers, the prefix of names. */
const steady = (text: string): string =>
  text
    .replaceAll(/verify-[0-9a-f]{8}-/g, "<prefix>")
    .replaceAll(/\b[0-9a-f]{32}\b/g, "<id>")
    .replaceAll(/"<id>"(,"<id>")*/g, '"<id>"')
    .replaceAll(/\[("<id>")?\]/g, "[<ids>]")
    .replaceAll(/\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT/g, "<date>")
    .replaceAll(/\d{4}-\d{2}(-\d{2}(T[\d:.]+Z|-\d{2}(?=\.csv))?)?(?!\d)/g, "<date>")
    .replaceAll(/\d{8}T\d{6}Z/g, "<date>")
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

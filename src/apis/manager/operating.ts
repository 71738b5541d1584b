import type { JournalEntry } from "../../emulator/journal.ts";
import { largeJsonBody } from "../../emulator/json-body.ts";
import {
  constant,
  described,
  flag,
  listOf,
  moment,
  object,
  oneOf,
  orNull,
  text,
  wholeNumber,
} from "../../emulator/json-schema.ts";
import { operation } from "../../emulator/operation.ts";
import type { RecordedRequest, RecordedResponse } from "../../emulator/recorded-message.ts";
import { ok } from "../../emulator/response.ts";
import { yieldToEventLoop } from "../../emulator/scheduling.ts";
import { anyObject } from "../../schema/kernel/values.ts";
import { SERVICES } from "../../schema/operation-names.ts";
import { snapshot } from "../../schema/snapshot.ts";
import { readLargeSnapshot, snapshotJson } from "../../store/snapshot.ts";
import { anyRequest, bodyAccepted, jsonBody } from "./checks.ts";
import { done, doneLarge, fieldsRefused, noBody, refuseFields } from "./responses.ts";

const LARGE_BODY_BYTES = 64 * 1024;

/** A listed body is cut to this: responses to this operation are listed too, and would otherwise double with each call. */
const MOST_BODY_CHARACTERS = 2000;

/** For those who run the manager: the journal, the whole state, and health. */

const messageSchemas = {
  headers: described(
    { type: "object", additionalProperties: text },
    "By lower-case name. Credentials are masked.",
  ),
  size: described(wholeNumber, "Size of the body in bytes."),
  body: described(
    orNull(text),
    `The body as short text of at most ${MOST_BODY_CHARACTERS} characters: images appear as format, dimensions and size, secrets are masked. Null when the journal dropped it.`,
  ),
};

const requestSchema = object({
  number: { type: "integer", minimum: 1 },
  time: moment,
  api: oneOf(SERVICES),
  operation: orNull(text),
  method: text,
  path: text,
  status: orNull({ type: "integer", minimum: 200, maximum: 599 }),
  result_code: orNull(text),
  refused_by: orNull(text),
  fault: orNull(text),
  reason: orNull(text),
  database_name: orNull(text),
  duration_ms: { type: "number", minimum: 0 },
  considered: orNull(listOf(object({ target_id: text, name: text, matched: flag, why: text }))),
  other_targets: orNull(described({ type: "object" }, "How many more targets were considered, by reason.")),
  request: object({ query: text, ...messageSchemas }),
  response: orNull(object(messageSchemas)),
});

const messageResource = ({ headers, body }: RecordedRequest | RecordedResponse) => ({
  headers,
  size: body.size,
  body: body.dropped ? null : cut(String(body), MOST_BODY_CHARACTERS),
});

const cut = (shown: string, most: number): string =>
  shown.length <= most ? shown : `${shown.slice(0, most - 1)}…`;

const requestResource = (entry: JournalEntry) => ({
  number: entry.number,
  time: entry.time.toISOString(),
  api: entry.api,
  operation: entry.operation ?? null,
  method: entry.method,
  path: entry.path,
  status: entry.status ?? null,
  result_code: entry.resultCode ?? null,
  refused_by: entry.refusedBy ?? null,
  fault: entry.fault ?? null,
  reason: entry.reason ?? null,
  database_name: entry.database ?? null,
  duration_ms: entry.durationMs,
  considered:
    entry.considered?.map(({ targetId, name, matched, why }) => ({
      target_id: targetId,
      name,
      matched,
      why,
    })) ?? null,
  other_targets: entry.otherTargets ?? null,
  request: { query: entry.request.query, ...messageResource(entry.request) },
  response: entry.response === undefined ? null : messageResource(entry.response),
});

const requests = doneLarge(object({ dropped: wholeNumber, requests: listOf(requestSchema) }));

export const listRequests = operation({
  name: "manager.listRequests",
  method: "GET",
  path: "/requests",
  summary:
    "Lists the latest requests with what was sent, oldest first, and how many older ones were dropped.",
  query: () => ({ database_name: described(text, "Lists only requests that belong to this database.") }),
  checks: anyRequest,
  responses: [requests],
  handle: async ({ request, services: { journal } }) => {
    const { dropped, entries } = journal;
    const database = new URLSearchParams(request.query).get("database_name");
    const listed: ReturnType<typeof requestResource>[] = [];
    for (const entry of entries) {
      if (database !== null && entry.database !== database) continue;
      // Large bodies take milliseconds to read.
      if (entry.request.body.size + (entry.response?.body.size ?? 0) > LARGE_BODY_BYTES)
        await yieldToEventLoop();
      listed.push(requestResource(entry));
    }
    return ok(requests, await largeJsonBody({ dropped, requests: listed }));
  },
});

export const clearRequests = operation({
  name: "manager.clearRequests",
  method: "DELETE",
  path: "/requests",
  summary: "Clears the journal of requests.",
  checks: anyRequest,
  responses: [noBody],
  handle: ({ services: { journal } }) => {
    journal.clear();
    return ok(noBody);
  },
});

export const reset = operation({
  name: "manager.reset",
  method: "POST",
  path: "/reset",
  summary:
    "Deletes all databases, datasets, credentials, reports and faults, clears the journal, and resets the clock.",
  checks: anyRequest,
  responses: [noBody],
  handle: async ({ services: { store, journal, clock, faults } }) => {
    await store.reset();
    await faults.clear();
    journal.clear();
    clock.reset();
    return ok(noBody);
  },
});

const SNAPSHOT = "/snapshot";
const wholeState = doneLarge(snapshot);

export const takeSnapshot = operation({
  name: "manager.takeSnapshot",
  method: "GET",
  path: SNAPSHOT,
  summary: "Returns the whole state: databases, targets, images, reports, datasets and credentials.",
  checks: anyRequest,
  responses: [wholeState],
  handle: async ({ services: { store } }) => {
    const state = await store.snapshot();
    return ok(wholeState, await largeJsonBody(snapshotJson(state)));
  },
});

export const restoreSnapshot = operation({
  name: "manager.restoreSnapshot",
  method: "PUT",
  path: SNAPSHOT,
  summary: "Replaces the state with that of a snapshot; the journal stays.",
  body: jsonBody(snapshot),
  // The store reads the snapshot, and says what is wrong with it.
  checks: anyRequest.row(bodyAccepted(jsonBody(anyObject))),
  responses: [noBody, fieldsRefused],
  handle: async ({ given, request, services: { store } }) => {
    const state = await readLargeSnapshot(given, request.images);
    const problem = typeof state === "string" ? state : await store.restore(state);
    if (problem === undefined) return ok(noBody);
    return refuseFields([{ field: "body", message: problem, accepted: "a response of GET /snapshot" }]);
  },
});

export const finishProcessing = operation({
  name: "manager.finishProcessing",
  method: "POST",
  path: "/finish_processing",
  summary: "Finishes the processing of every target, report and dataset.",
  checks: anyRequest,
  responses: [noBody],
  handle: async ({ services: { store } }) => {
    await store.finishProcessing();
    return ok(noBody);
  },
});

const healthy = done(object({ status: constant("ok") }));

export const live = operation({
  name: "manager.live",
  method: "GET",
  path: "/livez",
  summary: "Responds whenever the process is running.",
  checks: anyRequest,
  responses: [healthy],
  handle: () => ok(healthy, { status: "ok" }),
});

export const ready = operation({
  name: "manager.ready",
  method: "GET",
  path: "/readyz",
  summary: "Responds when the state can be read.",
  checks: anyRequest,
  responses: [healthy],
  handle: async ({ services: { store } }) => {
    await store.findDatabaseByName("");
    return ok(healthy, { status: "ok" });
  },
});

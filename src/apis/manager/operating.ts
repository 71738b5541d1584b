import * as z from "zod/mini";
import { factsOf, type JournalEntry } from "../../emulator/journal.ts";
import { largeJsonBody } from "../../emulator/json-body.ts";
import { constant, described, object, text } from "../../emulator/json-schema.ts";
import { operation } from "../../emulator/operation.ts";
import type { RecordedRequest, RecordedResponse } from "../../emulator/recorded-message.ts";
import { ok } from "../../emulator/response.ts";
import { yieldToEventLoop } from "../../emulator/scheduling.ts";
import { type ListedMessage, listedEntry, MOST_BODY_CHARACTERS } from "../../schema/journal-entry.ts";
import { record } from "../../schema/kernel/record.ts";
import { anyObject, type JsonObject, wholeNumber } from "../../schema/kernel/values.ts";
import { snapshot } from "../../schema/snapshot.ts";
import { readLargeSnapshot, snapshotJson } from "../../store/snapshot.ts";
import { anyRequest, bodyAccepted, jsonBody } from "./checks.ts";
import { done, doneLarge, fieldsRefused, noBody, refuseFields } from "./responses.ts";

const LARGE_BODY_BYTES = 64 * 1024;

/** For those who run the manager: the journal, the whole state, and health. */

const messageResource = ({ headers, body }: RecordedRequest | RecordedResponse): ListedMessage => ({
  headers,
  size: body.size,
  body: body.dropped ? null : cut(String(body), MOST_BODY_CHARACTERS),
});

const cut = (shown: string, most: number): string =>
  shown.length <= most ? shown : `${shown.slice(0, most - 1)}…`;

const requestResource = (entry: JournalEntry) =>
  listedEntry.write({
    ...factsOf(entry),
    request: { query: entry.request.query, ...messageResource(entry.request) },
    response: entry.response === undefined ? null : messageResource(entry.response),
  });

const requests = doneLarge(
  record<{ readonly dropped: number; readonly requests: readonly unknown[] }>({
    dropped: wholeNumber,
    requests: z.lazy(() => z.array(listedEntry.schema)),
  }),
);

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
    const listed: JsonObject[] = [];
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

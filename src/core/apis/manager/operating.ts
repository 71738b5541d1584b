import * as z from "zod/mini";
import { factsOf, type JournalEntry } from "../../emulator/journal.ts";
import { constantSchema, objectSchema, stringSchema, withDescription } from "../../emulator/json-schemas.ts";
import { operation } from "../../emulator/operation.ts";
import type { RecordedRequest, RecordedResponse } from "../../emulator/recorded-message.ts";
import { ok } from "../../emulator/response.ts";
import { writeJson } from "../../emulator/write-json.ts";
import type { JsonObject } from "../../general/json.ts";
import { yieldToEventLoop } from "../../general/scheduling.ts";
import { type ListedMessage, listedEntry, MOST_BODY_CHARACTERS } from "../../schema/journal-entry.ts";
import { snapshot } from "../../schema/snapshot.ts";
import { optional, record } from "../../schema/zod/record.ts";
import {
  anyObject,
  CLOCK_YEARS,
  clockTimestamp,
  isClockTimestamp,
  kind,
  trueOrFalse,
  wholeNumber,
} from "../../schema/zod/values.ts";
import { wireForm } from "../../schema/zod/wire.ts";
import * as reads from "../../store/reads.ts";
import { snapshotJson, wholeSnapshot } from "../../store/snapshot.ts";
import * as control from "../control.ts";
import type { ApiContext } from "../services.ts";
import { anyRequest, bodyAccepted, bodyMatching } from "./checks.ts";
import { doneWith, fieldsRefused, noBody, okInJson, okInSteps, refuseFields } from "./responses.ts";

/* Operations of the manager: the journal, the whole state, the clock, and health. */

const LARGE_BODY_BYTES = 64 * 1024;

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

const requests = okInSteps(
  record<{ readonly dropped: number; readonly requests: readonly unknown[] }>({
    dropped: wholeNumber,
    requests: z.lazy(() => z.array(listedEntry.schema)),
  }),
);

const listRequests = operation({
  name: "manager.listRequests",
  method: "GET",
  path: "/requests",
  summary:
    "Lists the latest requests with what was sent, oldest first, and how many older ones were dropped.",
  query: () => ({
    database_name: withDescription(stringSchema, "Lists only requests that belong to this database."),
  }),
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
    return ok(requests, writeJson({ dropped, requests: listed }));
  },
});

const clearRequests = operation({
  name: "manager.clearRequests",
  method: "DELETE",
  path: "/requests",
  summary: "Clears the journal of requests.",
  checks: anyRequest,
  responses: [noBody],
  handle: async ({ services: { journal } }) => {
    journal.clear();
    return ok(noBody);
  },
});

const reset = operation({
  name: "manager.reset",
  method: "POST",
  path: "/reset",
  summary:
    "Deletes all databases, datasets, credentials, reports and faults, answers the requests that faults delay, clears the journal, and resets the clock.",
  checks: anyRequest,
  responses: [noBody],
  handle: async ({ services }) => {
    await control.reset(services);
    return ok(noBody);
  },
});

const SNAPSHOT = "/snapshot";
const wholeState = okInSteps(snapshot);

const takeSnapshot = operation({
  name: "manager.takeSnapshot",
  method: "GET",
  path: SNAPSHOT,
  summary: "Returns the whole state: databases, targets, images, reports, datasets and credentials.",
  checks: anyRequest,
  responses: [wholeState],
  handle: async ({ services: { store } }) => {
    return ok(wholeState, writeJson(snapshotJson(await store.read(wholeSnapshot))));
  },
});

const restoreSnapshot = operation({
  name: "manager.restoreSnapshot",
  method: "PUT",
  path: SNAPSHOT,
  summary: "Replaces the state with that of a snapshot; the journal stays.",
  body: bodyMatching(snapshot),
  // The store reads the snapshot and reports its problems.
  checks: anyRequest.and(bodyAccepted(bodyMatching(anyObject))),
  responses: [noBody, fieldsRefused],
  handle: async ({ given, request, services }) => {
    const problem = await services.store.run(control.restore(services, given, request.images));
    if (problem === undefined) return ok(noBody);
    return refuseFields([{ field: "body", message: problem, accepted: "a response of GET /snapshot" }]);
  },
});

const finishProcessing = operation({
  name: "manager.finishProcessing",
  method: "POST",
  path: "/finish_processing",
  summary: "Finishes the processing of every target, report and dataset.",
  checks: anyRequest,
  responses: [noBody],
  handle: async ({ services }) => {
    await services.store.run(control.finishProcessing(services));
    return ok(noBody);
  },
});

const healthy = okInJson(objectSchema({ status: constantSchema("ok") }));

const live = operation({
  name: "manager.live",
  method: "GET",
  path: "/livez",
  summary: "Responds whenever the process is running.",
  checks: anyRequest,
  responses: [healthy],
  handle: async () => ok(healthy, { status: "ok" }),
});

const ready = operation({
  name: "manager.ready",
  method: "GET",
  path: "/readyz",
  summary: "Responds when the state can be read.",
  checks: anyRequest,
  responses: [healthy],
  handle: async ({ services: { store } }) => {
    await store.read(reads.database(""));
    return ok(healthy, { status: "ok" });
  },
});

/* All servers share the clock: a test moves it instead of waiting. */

const CLOCK = "/clock";
const clockState = doneWith(wireForm(z.lazy(() => record({ now: clockTimestamp, frozen: trueOrFalse }))));

const stateOf = ({ services: { clock } }: ApiContext) =>
  ok(clockState, { now: clock.now().getTime(), frozen: clock.isFrozen });

const readClock = operation({
  name: "manager.readClock",
  method: "GET",
  path: CLOCK,
  summary: "Returns the time of all servers, and whether their clock is stopped.",
  checks: anyRequest,
  responses: [clockState],
  handle: async (context) => stateOf(context),
});

const clockChange = bodyMatching(
  z.lazy(() => record(optional({ now: clockTimestamp, frozen: trueOrFalse }))),
);

const setClock = operation({
  name: "manager.setClock",
  method: "PUT",
  path: CLOCK,
  summary: "Sets the clock of all servers, stops it or lets it run.",
  body: clockChange,
  checks: anyRequest.and(bodyAccepted(clockChange)),
  responses: [clockState],
  handle: async (context) => {
    const { clock } = context.services;
    clock.set(context.given.now ?? clock.moment(), context.given.frozen);
    return stateOf(context);
  },
});

const advance = bodyMatching(z.lazy(() => record({ seconds: kind("a number of seconds", z.number()) })));

const advanceClock = operation({
  name: "manager.advanceClock",
  method: "POST",
  path: `${CLOCK}/advance`,
  summary: "Moves the clock of all servers forward, or back when `seconds` is negative.",
  body: advance,
  checks: anyRequest.and(bodyAccepted(advance)),
  responses: [clockState, fieldsRefused],
  handle: async (context) => {
    const { clock } = context.services;
    const moved = clock.now().getTime() + context.given.seconds * 1000;
    if (!isClockTimestamp(moved)) {
      const message = `seconds is ${context.given.seconds}, which moves the clock out of its range`;
      const accepted = `a number of seconds that keeps the clock ${CLOCK_YEARS}`;
      return refuseFields([{ field: "seconds", message, accepted }]);
    }
    clock.set(moved);
    return stateOf(context);
  },
});

const resetClock = operation({
  name: "manager.resetClock",
  method: "DELETE",
  path: CLOCK,
  summary: "Undoes every change to the clock.",
  checks: anyRequest,
  responses: [noBody],
  handle: async ({ services: { clock } }) => {
    clock.reset();
    return ok(noBody);
  },
});

export const journalOperations = [listRequests, clearRequests];
export const stateOperations = [
  ...[reset, takeSnapshot, restoreSnapshot, finishProcessing],
  ...[readClock, setClock, advanceClock, resetClock],
  ...[live, ready],
];

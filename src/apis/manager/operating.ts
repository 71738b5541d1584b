import type { JournalEntry } from "../../core/journal.ts";
import { operation } from "../../core/operation.ts";
import { ok } from "../../core/response.ts";
import { anyObject } from "../../schema/kernel/values.ts";
import { anyRequest, bodyAccepted } from "./checks.ts";
import { done, emptied, fieldsRefused, refuseFields } from "./responses.ts";

/** What the protocol does not have, and those who run the manager need: the journal, the whole state, health. */

export const listRequests = operation({
  name: "manager.listRequests",
  method: "GET",
  path: "/requests",
  summary: "Lists the latest requests, oldest first, and says how many older ones were dropped.",
  checks: anyRequest,
  responses: [done],
  handle: (call) => {
    const { dropped, entries } = call.services.journal;
    return ok(done, { dropped, requests: entries.map(requestResource) });
  },
});

export const clearRequests = operation({
  name: "manager.clearRequests",
  method: "DELETE",
  path: "/requests",
  summary: "Forgets the requests.",
  checks: anyRequest,
  responses: [emptied],
  handle: (call) => {
    call.services.journal.clear();
    return ok(emptied);
  },
});

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
});

export const reset = operation({
  name: "manager.reset",
  method: "POST",
  path: "/reset",
  summary:
    "Deletes all databases, datasets, credentials and reports, forgets the requests, and undoes what was done to the clock.",
  checks: anyRequest,
  responses: [emptied],
  handle: async (call) => {
    const { store, journal, clock } = call.services;
    await store.reset();
    journal.clear();
    clock.reset();
    return ok(emptied);
  },
});

export const takeSnapshot = operation({
  name: "manager.takeSnapshot",
  method: "GET",
  path: "/snapshot",
  summary: "Gives the whole state: databases, targets, images, reports, datasets and credentials.",
  checks: anyRequest,
  responses: [done],
  handle: async (call) => ok(done, await call.services.store.snapshot()),
});

export const restoreSnapshot = operation({
  name: "manager.restoreSnapshot",
  method: "PUT",
  path: "/snapshot",
  summary: "Replaces the state by that of a snapshot; the requests stay.",
  checks: anyRequest.row(bodyAccepted(anyObject)),
  responses: [emptied, fieldsRefused],
  handle: async (call) => {
    const problem = await call.services.store.restore(call.body.fields);
    if (problem === undefined) return ok(emptied);
    return refuseFields([{ field: "body", message: problem, accepted: "what GET /snapshot answered" }]);
  },
});

export const finishProcessing = operation({
  name: "manager.finishProcessing",
  method: "POST",
  path: "/finish_processing",
  summary: "Takes every target, report and dataset past its processing time.",
  checks: anyRequest,
  responses: [emptied],
  handle: async (call) => {
    await call.services.store.finishProcessing();
    return ok(emptied);
  },
});

const healthy = () => ok(done, { status: "ok" });

export const live = operation({
  name: "manager.live",
  method: "GET",
  path: "/livez",
  summary: "Says that the process answers.",
  checks: anyRequest,
  responses: [done],
  handle: healthy,
});

export const ready = operation({
  name: "manager.ready",
  method: "GET",
  path: "/readyz",
  summary: "Says that the state can be read.",
  checks: anyRequest,
  responses: [done],
  handle: async (call) => {
    await call.services.store.findDatabaseByName("");
    return healthy();
  },
});

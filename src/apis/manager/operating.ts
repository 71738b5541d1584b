import { endpoint } from "../../http/endpoint.ts";
import { emptyReply, jsonReply } from "../../responses/plain.ts";
import type { JournalEntry } from "../../runtime/journal.ts";
import type { Call } from "../../services.ts";
import { anyRequest, bodyAccepted, refuseFields } from "./guards.ts";

/** What the protocol does not have, and those who run the manager need: the journal, the whole state, health. */

/** `GET /requests`: the latest requests, oldest first, and how many older ones were dropped. */
export const listRequests = endpoint("manager.listRequests", "GET", "/requests", anyRequest, (call) => {
  const { dropped, entries } = call.services.journal;
  return jsonReply(call, 200, { dropped, requests: entries.map(requestResource) });
});

/** `DELETE /requests`: forgets them. */
export const clearRequests = endpoint("manager.clearRequests", "DELETE", "/requests", anyRequest, (call) => {
  call.services.journal.clear();
  return emptyReply(call, 200);
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
});

/** `POST /reset`: back to no databases, datasets, credentials and reports, an empty journal and the clock as it was. */
export const reset = endpoint("manager.reset", "POST", "/reset", anyRequest, async (call) => {
  const { store, journal, clock } = call.services;
  await store.reset();
  journal.clear();
  clock.reset();
  return emptyReply(call, 200);
});

/** `GET /snapshot`: the whole state as JSON, each image once; with secrets, without the journal. */
export const takeSnapshot = endpoint("manager.takeSnapshot", "GET", "/snapshot", anyRequest, async (call) =>
  jsonReply(call, 200, await call.services.store.snapshot()),
);

/** `PUT /snapshot`: replaces the state by that of a snapshot; the journal goes on. */
export const restoreSnapshot = endpoint(
  "manager.restoreSnapshot",
  "PUT",
  "/snapshot",
  anyRequest.adding(bodyAccepted(() => ({}))),
  async (call) => {
    const problem = await call.services.store.restore(call.body.fields);
    if (problem === undefined) return emptyReply(call, 200);
    return refuseFields([{ field: "body", message: problem, accepted: "what GET /snapshot answered" }]);
  },
);

/** `POST /finish_processing`: every target, report and dataset is past its processing time. */
export const finishProcessing = endpoint(
  "manager.finishProcessing",
  "POST",
  "/finish_processing",
  anyRequest,
  async (call) => {
    await call.services.store.finishProcessing();
    return emptyReply(call, 200);
  },
);

const healthy = (call: Call) => jsonReply(call, 200, { status: "ok" });

/** `GET /livez`: the process answers. */
export const live = endpoint("manager.live", "GET", "/livez", anyRequest, healthy);

/** `GET /readyz`: the state can be read. */
export const ready = endpoint("manager.ready", "GET", "/readyz", anyRequest, async (call) => {
  await call.services.store.findDatabaseByName("");
  return healthy(call);
});

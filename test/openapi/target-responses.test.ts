import type { ProfileName } from "mock-cloud-reco";
import { openApiDocument } from "mock-cloud-reco/openapi";
import { expect, it } from "vitest";
import { placeholder } from "../../src/verify/plan.ts";
import type { Draft } from "../../src/verify/requests.ts";
import { addProcessed, json, PROCESSING_SECONDS, send } from "../protocol/target/requests.ts";
import { type DatabaseKeys, describeBackends, type ServiceUnderTest } from "../support/backends.ts";
import { fetchBy, nodeClient } from "../support/clients.ts";
import { refusedRows, TARGET_CASES } from "./cases.ts";
import { Conformance } from "./conformance.ts";

interface Situation {
  readonly service: ServiceUnderTest;
  readonly conformance: Conformance;
}

async function sendDraft({ service, conformance }: Situation, keys: DatabaseKeys, draft: Draft) {
  const { method, path, bytes, fields, contentType, date, contentLength, wrongKey } = draft;
  const length = contentLength === undefined ? {} : { "Content-Length": contentLength };
  const headers = { ...draft.headers, ...length };
  return send(service, wrongKey === true ? { ...keys, serverSecretKey: "wrong" } : keys, {
    method,
    path,
    body: bytes ?? fields,
    contentType,
    date,
    headers,
    client: conformance.checking(contentLength === undefined ? nodeClient : fetchBy(service.fetch ?? fetch)),
  });
}

/** Settings as the target manager names them, and as this package does. */
const inCamelCase = (settings: object): Record<string, unknown> =>
  JSON.parse(
    JSON.stringify(settings).replaceAll(/_(\w)(?=\w*":)/g, (_found, letter) => letter.toUpperCase()),
  );

/** What only real servers answer. */
const ON_SERVERS = / (413|50[23])$/;

describeBackends("responses of the target API, as the OpenAPI document declares them", (backend) => {
  const profiles: readonly ProfileName[] = backend.overSockets ? ["neutral"] : ["neutral", "vuforia"];

  it.each(profiles)("whatever is wrong with a request (%s)", async (profile) => {
    const conformance = new Conformance(openApiDocument({ profile }));
    await using service = await backend.open({ profile, processingTimeSeconds: PROCESSING_SECONDS });
    const situation = { service, conformance };
    for (const one of TARGET_CASES) {
      const keys = await service.addCloudDatabase();
      const id = await addProcessed(service, keys, { name: "existing" });
      if (!backend.overSockets) {
        const draft = one.draft(id, keys, service.clock.now());
        await sendDraft(situation, keys, { ...draft, contentLength: "1000000" });
      }
      const at = placeholder({ profile, keys, prefix: "" }, service.clock.now());
      for (const { change, more } of refusedRows(one, backend.overSockets)) {
        const draft = one.draft(id, keys, service.clock.now());
        change(draft, at);
        await service.updateDatabase(keys, inCamelCase(more.database ?? {}));
        await sendDraft(situation, keys, draft);
        const noLimit = { requestsPerSecondLimit: null, requestRateLimits: null, targetQuota: 1000 };
        await service.updateDatabase(keys, { ...noLimit, requestQuota: 1000, stateName: "WORKING" });
      }
      await sendDraft(situation, keys, one.draft("unknown", keys, service.clock.now()));
      await sendDraft(situation, keys, one.draft(id, keys, service.clock.now()));
      // Once more, now that the target is gone or being processed.
      await sendDraft(situation, keys, one.draft(id, keys, service.clock.now()));
    }
    await sendTheRest(situation);

    const targetOperations = [...TARGET_CASES.map(({ operation }) => operation), "downloadReport"];
    const declared = conformance.declared.filter((response) =>
      targetOperations.some((operation) => response.startsWith(`${operation} `)),
    );
    const missing = declared.filter(
      (response) => !conformance.seen.has(response) && !ON_SERVERS.test(response),
    );
    // Over sockets, what is wrong with Content-Length shows in other ways; see the tests of the servers.
    expect(missing.filter((response) => !(backend.overSockets && response.endsWith(" 408")))).toEqual([]);
  });
});

async function sendTheRest(situation: Situation): Promise<void> {
  const { service, conformance } = situation;
  const keys = await service.addCloudDatabase();
  const id = await addProcessed(service, keys, { name: "found" });
  await sendDraft(situation, keys, {
    method: "PUT",
    path: `/targets/${id}`,
    fields: { active_flag: null },
    headers: {},
  });
  await sendDraft(situation, keys, {
    method: "PUT",
    path: `/targets/${id}`,
    fields: {},
    headers: {},
  });
  await sendDraft(situation, keys, { method: "DELETE", path: `/targets/${id}`, headers: {} });

  const vuMark = await service.addVuMarkDatabase({ targets: [{ name: "label", targetId: "label" }] });
  for (const accept of ["image/png", "image/svg+xml", "application/pdf", "image/gif"]) {
    await send(service, vuMark, {
      method: "POST",
      path: "/targets/label/instances",
      body: { instance_id: "1" },
      headers: { Accept: accept },
      client: conformance.checking(nodeClient),
    });
  }

  const report = TARGET_CASES.find(({ operation }) => operation === "requestReport");
  if (report === undefined) throw new Error("no case for reports");
  const requested = await sendDraft(situation, keys, report.draft("", keys, service.clock.now()));
  const url = new URL(String(json(requested).presigned_url));
  const download = (query: string) =>
    conformance.checking(nodeClient)({
      method: "GET",
      url: `${service.urls.target}${url.pathname}${query}`,
      headers: {},
    });
  await download(url.search);
  service.clock.advance(PROCESSING_SECONDS);
  await download(url.search);
  await download("");
}

import type { ProfileName } from "mock-cloud-reco";
import { openApiDocument } from "mock-cloud-reco/openapi";
import { expect, it } from "vitest";
import { placeholder } from "../conformance/engine/situation.ts";
import { requestTo } from "../conformance/request.ts";
import type { RequestChange } from "../conformance/rows.ts";
import { addProcessed, json, PROCESSING_SECONDS, send } from "../protocol/target/requests.ts";
import { type DatabaseKeys, describeBackends, type ServiceUnderTest } from "../support/backends.ts";
import { fetchBy, nodeClient } from "../support/clients.ts";
import { ALL } from "../support/combinations.ts";
import { refusedRows, TARGET_ROUTES } from "./cases.ts";
import { Conformance } from "./conformance.ts";

interface Situation {
  readonly service: ServiceUnderTest;
  readonly conformance: Conformance;
  readonly profile: ProfileName;
}

/** Sends a request to a route with what is special about it. */
async function sendTo(
  { service, conformance, profile }: Situation,
  keys: DatabaseKeys,
  targetId: string,
  route: string,
  send: RequestChange = {},
) {
  const at = { ...placeholder({ profile, keys, prefix: "" }, service.clock.now()), targetId };
  const { method, path, headers, body, contentLength } = requestTo(route, send, at);
  const client = conformance.checking(
    contentLength === undefined ? nodeClient : fetchBy(service.fetch ?? fetch),
  );
  const length = contentLength === undefined ? {} : { "Content-Length": contentLength };
  return client({ method, url: service.urls.target + path, headers: { ...headers, ...length }, body });
}

/** Settings as the target manager names them, and as this package does. */
const inCamelCase = (settings: object): Record<string, unknown> =>
  JSON.parse(
    JSON.stringify(settings).replaceAll(/_(\w)(?=\w*":)/g, (_found, letter) => letter.toUpperCase()),
  );

/** What only real servers answer. */
const ON_SERVERS = / (413|50[23])$/;

describeBackends("responses of the target API, as the OpenAPI document declares them", (backend) => {
  const profiles: readonly ProfileName[] = backend.overSockets
    ? ["neutral"]
    : ALL
      ? ["neutral", "vuforia"]
      : ["vuforia"];

  it.each(profiles)("whatever is wrong with a request (%s)", async (profile) => {
    const conformance = new Conformance(openApiDocument({ profile }));
    await using service = await backend.open({ profile, processingTimeSeconds: PROCESSING_SECONDS });
    const situation = { service, conformance, profile };
    for (const route of Object.values(TARGET_ROUTES)) {
      const keys = await service.addCloudDatabase();
      const id = await addProcessed(service, keys, { name: "existing" });
      if (!backend.overSockets) await sendTo(situation, keys, id, route, { length: "1000000" });
      for (const { send, database } of refusedRows(route, backend.overSockets)) {
        await service.updateDatabase(keys, inCamelCase(database ?? {}));
        await sendTo(situation, keys, id, route, send);
        const noLimit = { requestsPerSecondLimit: null, requestRateLimits: null, targetQuota: 1000 };
        await service.updateDatabase(keys, { ...noLimit, requestQuota: 1000, stateName: "WORKING" });
      }
      await sendTo(situation, keys, "unknown", route);
      await sendTo(situation, keys, id, route);
      // Once more, now that the target is gone or being processed.
      await sendTo(situation, keys, id, route);
    }
    await sendTheRest(situation);

    const targetOperations = [...Object.keys(TARGET_ROUTES), "downloadReport"];
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
  await sendTo(situation, keys, id, "update", { fields: { active_flag: null } });
  await sendTo(situation, keys, id, "update");
  await sendTo(situation, keys, id, "delete");

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

  const requested = await sendTo(situation, keys, id, "report");
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

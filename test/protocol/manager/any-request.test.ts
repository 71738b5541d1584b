import fc from "fast-check";
import { expect, it } from "vitest";
import { type Answer, manage } from "../../support/answers.ts";
import { describeBackends, type ServiceUnderTest } from "../../support/backends.ts";
import { codePoint } from "../../support/code-point.ts";
import { makePng } from "../../support/png.ts";

const image = makePng().toString("base64");

/** Mostly valid values, some that are taken already, and some invalid ones. */
const text = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("a", "b", "kept") },
  { weight: 6, arbitrary: fc.string({ unit: codePoint, maxLength: 12 }) },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const number = fc.oneof(
  { weight: 6, arbitrary: fc.nat() },
  { weight: 1, arbitrary: fc.double() },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const state = fc.constantFrom("WORKING", "PROJECT_INACTIVE", "PROJECT_SUSPENDED", "working", null);
const limit = fc.option(fc.record({ max_requests: number, window_seconds: number }, { requiredKeys: [] }));
const limits = fc.option(
  fc.record(
    { other: limit, get_target: limit, get_duplicates: limit, list_targets: limit },
    { requiredKeys: [] },
  ),
);
const base64 = fc.oneof(fc.constant(image), fc.base64String(), text);
const date = fc.oneof(
  fc.date().map((moment) => JSON.parse(JSON.stringify(moment))),
  text,
);

const fields = fc.record(
  {
    database_id: text,
    database_name: text,
    server_access_key: text,
    client_secret_key: text,
    state_name: state,
    database_type_name: text,
    targets: fc.jsonValue(),
    request_quota: number,
    current_month_recos: number,
    total_recos: number,
    target_quota: number,
    requests_per_second_limit: fc.option(number),
    request_rate_limits: limits,
    name: text,
    width: number,
    image_base64: base64,
    image: base64,
    active_flag: fc.oneof(fc.boolean(), fc.jsonValue()),
    processing_time_seconds: number,
    application_metadata: fc.oneof(fc.base64String(), fc.constant(null), text),
    target_id: text,
    upload_date: date,
    last_modified_date: date,
    request_body: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
    dataset_type_name: fc.constantFrom("STANDARD", "ADVANCED", "", 1),
    generation_failure_message: fc.option(text),
    generation_warning: fc.option(
      fc.record({ message: text, details: fc.array(fc.dictionary(fc.string(), fc.jsonValue())) }),
    ),
    uuid: text,
    created_at: date,
    client_id: text,
    client_secret: text,
    scopes: fc.oneof(fc.array(fc.string()), fc.jsonValue()),
  },
  { requiredKeys: [] },
);

/** The fields that a route accepts, by the end of its path. */
const TAKEN: readonly (readonly [end: string, names: RegExp])[] = [
  [
    "/cloud_databases",
    /^(database_|server_|client_secret_key|state_|targets|request|current_|total_|target_quota)/,
  ],
  ["/cloud_databases/kept", /^(state_|request_quota|request_rate|requests_|current_|total_|target_quota)/],
  ["/targets", /^(name|width|image_base64|active_flag|processing_|application_|target_id|upload_|last_)/],
  ["/kept/targets/kept", /^(name|width|image$|active_flag|application_|upload_|last_)/],
  ["/recognition_counts", /^(current_|total_)/],
  ["/vumark_databases", /^(database_name|server_|state_)/],
  ["/vumark_databases/label", /^state_/],
  ["/vumark_targets", /^(name|target_id|processing_|upload_|last_)/],
  ["/model_target_datasets", /^(request_body|dataset_|processing_|generation_|uuid|created_)/],
  ["/oauth2_client_credentials", /^(client_id|client_secret$|scopes)/],
];

/** The record without the fields that the route does not know. */
function known(path: string, body: object): string {
  const [, names] = TAKEN.findLast(([end]) => path.endsWith(end)) ?? [];
  const entries = Object.entries(body).filter(([name]) => names?.test(name) ?? true);
  return JSON.stringify(Object.fromEntries(entries));
}

const bodies = fc.oneof(
  { weight: 8, arbitrary: fields },
  { weight: 1, arbitrary: fields.map((record) => JSON.stringify(record)) },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) },
);

const CLOUD = "/cloud_databases";
const VUMARK = "/vumark_databases";
const DATASETS = "/model_target_datasets";
const CREDENTIALS = "/oauth2_client_credentials";
const routes = fc.constantFrom(
  ["POST", CLOUD],
  ["PUT", `${CLOUD}/kept`],
  ["POST", `${CLOUD}/kept/targets`],
  ["POST", `${CLOUD}/unknown/targets`],
  ["PUT", `${CLOUD}/kept/targets/kept`],
  ["POST", `${CLOUD}/kept/targets/kept/recognition_counts`],
  ["POST", VUMARK],
  ["PUT", `${VUMARK}/label`],
  ["POST", `${VUMARK}/label/vumark_targets`],
  ["POST", DATASETS],
  ["POST", CREDENTIALS],
  ["DELETE", `${CLOUD}/unknown`],
  ["DELETE", `${CLOUD}/kept/targets/unknown`],
  ["GET", CLOUD],
  ["GET", VUMARK],
  ["GET", DATASETS],
  ["GET", CREDENTIALS],
);

async function openWithRecords(service: ServiceUnderTest): Promise<void> {
  await manage(service, "POST", CLOUD, { database_name: "kept", target_quota: 1_000_000 });
  await manage(service, "POST", `${CLOUD}/kept/targets`, {
    name: "kept",
    width: 1,
    image_base64: image,
    target_id: "kept",
  });
  await manage(service, "POST", VUMARK, { database_name: "label" });
}

/** Every record that the manager lists, nested ones included. */
async function shown(service: ServiceUnderTest): Promise<unknown[]> {
  const lists = await Promise.all([CLOUD, VUMARK, DATASETS].map((path) => manage(service, "GET", path)));
  return lists
    .flatMap(({ json }) => (Array.isArray(json) ? json : []))
    .flatMap((record) => [record, ...(record.targets ?? []), ...(record.vumark_targets ?? [])]);
}

function expectNamedFields({ fields, headers }: Answer): void {
  expect(headers["content-type"]).toBe("application/json");
  const { errors } = fields;
  if (!Array.isArray(errors)) throw new Error("no list of errors");
  expect(errors.length).toBeGreaterThan(0);
  for (const error of errors) {
    expect(Object.keys(error)).toEqual(["field", "message", "accepted"]);
    expect(error.field).toBeTypeOf("string");
    expect(String(error.message).startsWith(String(error.field))).toBe(true);
    expect(error.accepted).toMatch(/\w/);
  }
}

describeBackends("any request to the target manager", (backend) => {
  it("is answered with 2xx, 400, 404 or 409; errors name the problem, and what was added is listed", async () => {
    await using service = await backend.open();
    await openWithRecords(service);
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(routes, bodies, async ([method = "", path = ""], given) => {
        const isRecord = typeof given === "object" && !(given instanceof Uint8Array);
        const body = isRecord ? known(path, given) : given;
        const answer = await manage(service, method, path, body);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        expect([200, 201, 204, 400, 404, 409]).toContain(answer.status);
        if (answer.status === 400) expectNamedFields(answer);
        if (answer.status === 201) expect(await shown(service)).toContainEqual(answer.json);
        if (answer.status >= 400) expect((await service.latest()).reason).toMatch(/\w/);
      }),
      // A fixed seed: whether every status is reached must not depend on chance.
      { numRuns: 200, seed: 20261121, examples: [[["POST", CLOUD], '{"database_name":"kept"}']] },
    );
    // The requests must have produced every status.
    expect([...statuses.keys()].sort()).toEqual([200, 201, 204, 400, 404, 409]);
  });
});

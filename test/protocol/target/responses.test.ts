import { perfectRater } from "mock-cloud-reco";
import { expect, it } from "vitest";
import { type DatabaseKeys, describeBackends, type ServiceUnderTest } from "../../support/backends.ts";
import type { ClientResponse } from "../../support/clients.ts";
import { add, addProcessed, json, newTarget, PROCESSING_SECONDS, send } from "./requests.ts";

const REGION = { neutral: "x-cloud-region", vuforia: "x-aws-region" } as const;
const UPSTREAM = {
  neutral: "x-proxy-upstream-service-time",
  vuforia: "x-envoy-upstream-service-time",
} as const;
const ID = expect.stringMatching(/^[0-9a-f]{32}$/);

const headersOf = (response: ClientResponse) => response.rawHeaders ?? [];
const jsonHeaders = (service: ServiceUnderTest, profile: "neutral" | "vuforia", { body }: ClientResponse) => [
  ["Connection", "keep-alive"],
  ["Content-Type", "application/json"],
  ["server", "envoy"],
  [UPSTREAM[profile], "5"],
  ["strict-transport-security", "max-age=31536000"],
  [REGION[profile], "us-east-2, us-west-2"],
  ["x-content-type-options", "nosniff"],
  ["Date", service.clock.now().toUTCString()],
  ["Content-Length", String(body.length)],
];

interface Case {
  readonly operation: string;
  readonly request: (id: string) => { method: string; path: string; body?: unknown };
  readonly status: number;
  /** Keys in order, with their values. */
  readonly content: (id: string, keys: DatabaseKeys, now: Date) => Record<string, unknown>;
}

const cases: readonly Case[] = [
  {
    operation: "add",
    request: () => ({ method: "POST", path: "/targets", body: newTarget({ name: "second" }) }),
    status: 201,
    content: () => ({ transaction_id: ID, result_code: "TargetCreated", target_id: ID }),
  },
  {
    operation: "list",
    request: () => ({ method: "GET", path: "/targets" }),
    status: 200,
    content: (id) => ({ transaction_id: ID, result_code: "Success", results: [id] }),
  },
  {
    operation: "record",
    request: (id) => ({ method: "GET", path: `/targets/${id}` }),
    status: 200,
    content: (id) => ({
      result_code: "Success",
      transaction_id: ID,
      target_record: {
        target_id: id,
        active_flag: true,
        name: "target",
        width: 1,
        tracking_rating: 5,
        reco_rating: "",
      },
      status: "success",
    }),
  },
  {
    operation: "update",
    request: (id) => ({ method: "PUT", path: `/targets/${id}`, body: { width: 2 } }),
    status: 200,
    content: () => ({ result_code: "Success", transaction_id: ID }),
  },
  {
    operation: "delete",
    request: (id) => ({ method: "DELETE", path: `/targets/${id}` }),
    status: 200,
    content: () => ({ transaction_id: ID, result_code: "Success" }),
  },
  {
    operation: "duplicates",
    request: (id) => ({ method: "GET", path: `/duplicates/${id}` }),
    status: 200,
    content: () => ({ transaction_id: ID, result_code: "Success", similar_targets: [] }),
  },
  {
    operation: "database summary",
    request: () => ({ method: "GET", path: "/summary" }),
    status: 200,
    content: (_id, { databaseName }) => ({
      result_code: "Success",
      transaction_id: ID,
      name: databaseName,
      active_images: 1,
      inactive_images: 0,
      failed_images: 0,
      target_quota: 1000,
      total_recos: 0,
      current_month_recos: 0,
      previous_month_recos: 0,
      processing_images: 0,
      reco_threshold: 1000,
      request_quota: 100000,
      request_usage: 0,
      request_count: 0,
    }),
  },
  {
    operation: "target summary",
    request: (id) => ({ method: "GET", path: `/summary/${id}` }),
    status: 200,
    content: (_id, { databaseName }, now) => ({
      status: "success",
      transaction_id: ID,
      result_code: "Success",
      database_name: databaseName,
      target_name: "target",
      upload_date: new Date(now.getTime() - PROCESSING_SECONDS * 1000).toISOString().slice(0, 10),
      active_flag: true,
      tracking_rating: 5,
      total_recos: 0,
      current_month_recos: 0,
      previous_month_recos: 0,
    }),
  },
];

/** Keys in another order under the profile that follows the recordings of the real service. */
const RECORDED: Readonly<Record<string, readonly string[]>> = {
  add: ["result_code", "transaction_id", "target_id"],
  list: ["result_code", "transaction_id", "results"],
  delete: ["result_code", "transaction_id"],
  duplicates: ["result_code", "transaction_id", "similar_targets"],
  "database summary": [
    ...["name", "result_code", "transaction_id"],
    ...["active_images", "inactive_images", "failed_images", "processing_images"],
    ...["target_quota", "request_quota", "reco_threshold", "request_usage"],
    ...["total_recos", "current_month_recos", "previous_month_recos"],
  ],
  "target summary": [
    ...["status", "result_code", "transaction_id", "database_name", "target_name", "upload_date"],
    ...["active_flag", "tracking_rating", "total_recos", "current_month_recos", "previous_month_recos"],
  ],
};

describeBackends("responses of the target API", (backend) => {
  for (const profile of ["neutral", "vuforia"] as const) {
    const options = { profile, processingTimeSeconds: PROCESSING_SECONDS, targetRater: perfectRater };

    it.each(cases)(
      `${profile}: $operation: status, headers and body of a success`,
      async ({ operation, request, status, content }) => {
        await using service = await backend.open(options);
        const keys = await service.addCloudDatabase();
        const id = await addProcessed(service, keys);
        const response = await send(service, keys, request(id));
        expect(response.status).toBe(status);
        expect(headersOf(response)).toEqual(jsonHeaders(service, profile, response));
        const specified = content(id, keys, service.clock.now());
        const order = profile === "vuforia" ? RECORDED[operation] : undefined;
        const names = order ?? Object.keys(specified);
        const expected = Object.fromEntries(names.map((name) => [name, specified[name]]));
        expect(json(response)).toEqual(expected);
        expect(Object.keys(json(response))).toEqual(Object.keys(expected));
        expect(response.body.toString()).toBe(JSON.stringify(json(response)));
      },
    );
  }

  it("escapes characters that are not ASCII", async () => {
    await using service = await backend.open({ processingTimeSeconds: 0 });
    const keys = await service.addCloudDatabase();
    const name = 'é\u007f\u2028"\\/\n\uffff';
    const id = await add(service, keys, { name });
    const response = await send(service, keys, { method: "GET", path: `/summary/${id}` });
    expect(response.body.toString("latin1")).toContain(
      String.raw`"target_name":"\u00e9\u007f\u2028\"\\/\n\uffff"`,
    );
    expect(json(response).target_name).toBe(name);
  });

  it("gives every response a new transaction id", async () => {
    await using service = await backend.open();
    const keys = await service.addCloudDatabase();
    const ids = await Promise.all(
      Array.from(
        { length: 20 },
        async () => json(await send(service, keys, { method: "GET", path: "/targets" })).transaction_id,
      ),
    );
    expect(new Set(ids).size).toBe(20);
  });
});

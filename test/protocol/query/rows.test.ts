import { describe, expect, test } from "vitest";
import { query } from "../../../src/apis/query/operations.ts";
import {
  type Backend,
  type DatabaseKeys,
  describeBackends,
  type ServiceUnderTest,
} from "../../support/backends.ts";
import { type Client, type ClientResponse, fetchClient, nodeClient } from "../../support/clients.ts";
import { goodPlan, imagePart, type Plan, START } from "./plan.ts";
import { LARGEST_QUERY_IMAGE, ROWS, type Row } from "./rows.ts";
import { decoded, sendPlan } from "./send.ts";

const CHECKS = query.checks.map(({ name }) => name);

interface Situation extends AsyncDisposable {
  readonly service: ServiceUnderTest;
  readonly keys: DatabaseKeys;
}

async function open(backend: Backend, profile: Row["profile"] = "neutral"): Promise<Situation> {
  const service = await backend.open({ profile });
  service.clock.set(START);
  const keys = await service.addCloudDatabase();
  return { service, keys, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

async function send({ service, keys }: Situation, plan: Plan, client: Client): Promise<ClientResponse> {
  await service.updateDatabase(keys, { stateName: plan.state });
  return sendPlan(service, keys, plan, client);
}

/** A valid plan that fails these rows. The last row is applied first, so that later changes do not undo those of an earlier row. */
function spoilt(...rows: readonly Row[]): Plan {
  const plan = goodPlan();
  for (const { spoil } of [...rows].reverse()) spoil(plan);
  return plan;
}

const REGIONS = { neutral: { "x-cloud-region": "us-east-2, us-west-2" }, vuforia: {} };
const lowerCased = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function expectRefusal({ expected, profile = "neutral" }: Row, response: ClientResponse): void {
  expect(decoded(response).replace(/"[0-9a-f]{32}"/, '"ID"')).toBe(expected.body);
  expect(response.status).toBe(expected.status);
  const headers = { ...expected.headers, ...REGIONS[profile], "Content-Encoding": "gzip" };
  const { rawHeaders } = response;
  if (rawHeaders === undefined) {
    const { "content-length": _, ...received } = response.headers;
    expect(received).toEqual(lowerCased(headers));
    return;
  }
  const all = Object.entries({ ...headers, "Content-Length": String(response.body.length) });
  expect(rawHeaders.toSorted()).toEqual(all.toSorted());
}

const clients: readonly { name: string; client: Client }[] = [
  { name: "fetch", client: fetchClient },
  { name: "node:https", client: nodeClient },
];

describeBackends("the table of the query API", (backend) => {
  const possible = (client: Client, ...rows: readonly Row[]): boolean =>
    !rows.some(({ onlyFetchInProcess }) => onlyFetchInProcess) ||
    (!backend.overSockets && client === fetchClient);

  describe.each(clients)("through $name", ({ client }) => {
    test.each(ROWS.filter((row) => possible(client, row)))("row $row refuses $what", async (row) => {
      await using situation = await open(backend, row.profile);
      expectRefusal(row, await send(situation, spoilt(row), client));
      const { refusedBy, reason = "" } = await situation.service.latest();
      expect(refusedBy).toBe(CHECKS[row.row - 1]);
      expect(reason).toMatch(/\w{3}/);
      expect(reason).not.toContain(situation.keys.clientSecretKey);
    });

    const pairs = ROWS.flatMap((first) => {
      const { row, excludes = [], profile } = first;
      const later = ROWS.filter(
        (other) => other.row > row && !excludes.includes(other.row) && other.profile === profile,
      );
      return later.slice(0, 1).map((second) => ({ first, second }));
    });
    test.each(pairs.filter(({ first, second }) => possible(client, first, second)))(
      "row $first.row ($first.what) comes before row $second.row ($second.what)",
      async ({ first, second }) => {
        await using situation = await open(backend, first.profile);
        expectRefusal(first, await send(situation, spoilt(first, second), client));
      },
    );

    const passes: readonly { readonly what: string; readonly change: (plan: Plan) => void }[] = [
      {
        what: "a header line of 8190 bytes",
        change: (plan) => {
          plan.extraHeader = "x".repeat(8190 - "X-Extra: ".length);
        },
      },
      {
        what: "a suspended project",
        change: (plan) => {
          plan.state = "PROJECT_SUSPENDED";
        },
      },
      {
        what: "a project without API access",
        change: (plan) => {
          plan.state = "PROJECT_HAS_NO_API_ACCESS";
        },
      },
      {
        what: "an image of 2097152 bytes",
        change: (plan) => {
          plan.parts = [imagePart(LARGEST_QUERY_IMAGE)];
        },
      },
      {
        what: "the right Content-Length",
        change: (plan) => {
          plan.contentLength = String;
        },
      },
      ...["application/json", "*/*"].map((accept) => ({
        what: `Accept ${accept}`,
        change: (plan: Plan) => {
          plan.accept = accept;
        },
      })),
      ...[
        "Sat, Nov 21 10:42:00 2026",
        "Sat Nov 21 10:42:00 2026",
        "Sat, 21 Nov 2026 10:42:00",
        "Sat 21 Nov 2026 10:42:00",
        "Mon, 21 Nov 2026 11:46:59",
        "Sat, 21 Nov 2026 09:37:01",
      ]
        .flatMap((date) => [date, `${date} GMT`])
        .map((date) => ({
          what: `Date ${date}`,
          change: (plan: Plan) => {
            plan.date = date;
          },
        })),
      ...[
        "multipart/form-data; boundary=b0undary; charset=utf-8",
        'multipart/form-data; charset=utf-8; BOUNDARY="b0undary"',
        "Multipart/Form-Data;boundary=b0undary;",
        "multipart/form-data ; boundary = b0undary ",
        "multipart/form-data; boundary=b0undary; boundary=other",
      ].map((contentType) => ({
        what: `Content-Type ${contentType}`,
        change: (plan: Plan) => {
          plan.contentType = contentType.trim();
        },
      })),
      ...["1", "50", "+5", "05", " 5 ", "+050"].map((content) => ({
        what: `max_num_results ${JSON.stringify(content)}`,
        change: (plan: Plan) => {
          plan.parts = [...plan.parts, { name: "max_num_results", content }];
        },
      })),
      ...["top", "ALL", "nOne"].map((content) => ({
        what: `include_target_data ${content}`,
        change: (plan: Plan) => {
          plan.parts = [{ name: "include_target_data", content }, ...plan.parts];
        },
      })),
    ];
    test.each(passes)("$what passes", async ({ change }) => {
      await using situation = await open(backend);
      const plan = goodPlan();
      change(plan);
      const response = await send(situation, plan, client);
      expect(decoded(response)).toMatch(
        /^\{"result_code":"Success","results":\[\],"query_id":"[0-9a-f]{32}"\}$/,
      );
    });

    test("answers an unserved method with an empty 404", async () => {
      await using situation = await open(backend);
      const { urls } = situation.service;
      const response = await client({ method: "GET", url: `${urls.query}/v1/query`, headers: {} });
      const headers = {
        Connection: "keep-alive",
        Server: "nginx",
        Date: "Sat, 21 Nov 2026 10:42:00 GMT",
      };
      expectRefusal(
        { row: 0, what: "", spoil: () => undefined, expected: { status: 404, headers, body: "" } },
        response,
      );
    });
  });
});

test("every row of the table is among the cases", () => {
  expect(CHECKS).toHaveLength(20);
  expect([...new Set(ROWS.map(({ row }) => row))]).toEqual(CHECKS.map((_, index) => index + 1));
});

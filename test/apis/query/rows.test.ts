import { describe, expect, test } from "vitest";
import { queryChecks } from "../../../src/apis/query/guards.ts";
import type { ProfileName } from "../../../src/profiles.ts";
import { Mock, type Response } from "./mock.ts";
import { goodPlan, imagePart, requestOf } from "./plan.ts";
import { LARGEST_QUERY_IMAGE, ROWS, type Row } from "./rows.ts";

const REGION = { neutral: { "x-cloud-region": "us-east-2, us-west-2" }, vuforia: {} };

async function send(rows: readonly Row[], profile: ProfileName): Promise<{ mock: Mock; response: Response }> {
  const mock = new Mock({}, { profile });
  const plan = goodPlan(mock.now);
  // From the last to the first: an earlier row's spoiling may change all that a later one did, but not undo itself.
  for (const { spoil } of [...rows].reverse()) spoil(plan);
  mock.store.updateDatabase(mock.database.name, { state: plan.state });
  return { mock, response: await mock.send(requestOf(plan, mock.database)) };
}

function expectRefusal({ expected }: Row, response: Response, profile: ProfileName): void {
  expect(response.text.replace(/"[0-9a-f]{32}"/, '"ID"')).toBe(expected.body);
  expect(response.status).toBe(expected.status);
  expect(Object.fromEntries(response.headers)).toEqual({
    ...expected.headers,
    ...REGION[profile],
    "Content-Encoding": "gzip",
    "Content-Length": String(response.bytes.length),
  });
  expect(response.headers).toHaveLength(Object.keys(Object.fromEntries(response.headers)).length);
}

describe("each row", () => {
  test.each(ROWS)("$row: $what", async (row) => {
    const profile = row.profile ?? "neutral";
    const { mock, response } = await send([row], profile);
    expectRefusal(row, response, profile);
    const code = /"result_code":"(\w+)"/.exec(row.expected.body)?.[1];
    expect(mock.lastEntry).toMatchObject({ operation: "query", refusedBy: queryChecks.names[row.row - 1] });
    expect(mock.lastEntry?.resultCode).toBe(code);
    expect(mock.lastEntry?.reason).not.toContain(mock.database.clientSecretKey);
  });

  test("every row of the table fails in some case", () => {
    expect(queryChecks.names).toHaveLength(20);
    expect([...new Set(ROWS.map(({ row }) => row))]).toEqual(queryChecks.names.map((_, index) => index + 1));
  });
});

describe("a row comes before the next", () => {
  const pairs = ROWS.flatMap((first) => {
    const later = ROWS.filter(
      ({ row, profile = "neutral" }) =>
        row > first.row && !first.excludes?.includes(row) && profile === (first.profile ?? "neutral"),
    );
    return later.filter(({ row }) => row === later[0]?.row).map((second) => ({ first, second }));
  });

  test.each(pairs)("$first.row: $first.what, $second.row: $second.what", async ({ first, second }) => {
    const profile = first.profile ?? "neutral";
    expectRefusal(first, (await send([first, second], profile)).response, profile);
  });
});

describe("what just passes", () => {
  const accepted = async (change: (plan: ReturnType<typeof goodPlan>) => void) => {
    const mock = new Mock();
    const plan = goodPlan(mock.now);
    change(plan);
    mock.store.updateDatabase(mock.database.name, { state: plan.state });
    return mock.send(requestOf(plan, mock.database));
  };

  test.each<[string, (plan: ReturnType<typeof goodPlan>) => void]>([
    [
      "a header line of 8190 bytes",
      (plan) => {
        plan.extraHeader = "x".repeat(8190 - "X-Extra: ".length);
      },
    ],
    [
      "the right Content-Length",
      (plan) => {
        plan.contentLength = String;
      },
    ],
    [
      "a suspended project",
      (plan) => {
        plan.state = "PROJECT_SUSPENDED";
      },
    ],
    [
      "a project without API access",
      (plan) => {
        plan.state = "PROJECT_HAS_NO_API_ACCESS";
      },
    ],
    [
      "Accept application/json",
      (plan) => {
        plan.accept = "application/json";
      },
    ],
    [
      "Accept */*",
      (plan) => {
        plan.accept = "*/*";
      },
    ],
    [
      "an image of 2097152 bytes",
      (plan) => {
        plan.parts = [imagePart(LARGEST_QUERY_IMAGE)];
      },
    ],
  ])("%s", async (_, change) => {
    expect((await accepted(change)).status).toBe(200);
  });

  test.each(
    [
      "Sat, Nov 21 10:42:00 2026",
      "Sat Nov 21 10:42:00 2026",
      "Sat, 21 Nov 2026 10:42:00",
      "Sat 21 Nov 2026 10:42:00",
      "Mon, 21 Nov 2026 11:46:59",
      "Sat, 21 Nov 2026 09:37:01",
    ].flatMap((date) => [date, `${date} GMT`]),
  )("Date %s", async (date) => {
    const response = await accepted((plan) => {
      plan.date = date;
    });
    expect(response.status).toBe(200);
  });

  test.each([
    "multipart/form-data; boundary=b0undary; charset=utf-8",
    'multipart/form-data; charset=utf-8; BOUNDARY="b0undary"',
    "Multipart/Form-Data;boundary=b0undary;",
    "multipart/form-data ; boundary = b0undary ",
    "multipart/form-data; boundary=b0undary; boundary=other",
  ])("Content-Type %s", async (contentType) => {
    const response = await accepted((plan) => {
      plan.contentType = contentType;
    });
    expect(response.status).toBe(200);
  });

  test.each(["1", "50", "+5", "05", " 5 ", "+050"])("max_num_results %j", async (content) => {
    const response = await accepted((plan) => {
      plan.parts = [
        ...plan.parts,
        { name: "max_num_results", content },
        { name: "max_num_results", content: "x" },
      ];
    });
    expect(response.status).toBe(200);
  });

  test.each(["top", "ALL", "nOne"])("include_target_data %s", async (content) => {
    const response = await accepted((plan) => {
      plan.parts = [{ name: "include_target_data", content }, ...plan.parts];
    });
    expect(response.status).toBe(200);
  });
});

describe("unserved", () => {
  test.each([
    ["GET", "/v1/query"],
    ["POST", "/v1/query/"],
    ["POST", "/targets"],
  ])("%s %s is an empty 404", async (method, path) => {
    const mock = new Mock();
    const request = requestOf(goodPlan(mock.now), mock.database);
    const { status, text, headers, bytes } = await mock.send({ ...request, method, path });
    expect({ status, text }).toEqual({ status: 404, text: "" });
    expect(Object.fromEntries(headers)).toEqual({
      Connection: "keep-alive",
      Server: "nginx",
      Date: "Sat, 21 Nov 2026 10:42:00 GMT",
      "Content-Encoding": "gzip",
      "x-cloud-region": "us-east-2, us-west-2",
      "Content-Length": String(bytes.length),
    });
  });
});

import { MockCloudReco } from "mock-cloud-reco";
import { assertReceived, assertRefusedNothing } from "mock-cloud-reco/node-test";
import { test } from "mock-cloud-reco/vitest";
import { describe, expect, it } from "vitest";

const summary = () => fetch("https://vws.vuforia.com/summary");

describe("toHaveReceived", () => {
  test("passes from the first request on", async ({ mock }) => {
    expect(mock).not.toHaveReceived("databaseSummary");
    await summary();
    expect(mock).toHaveReceived("databaseSummary");
    await summary();
    expect(mock).toHaveReceived("databaseSummary");
  });

  test("counts requests with `times`", async ({ mock }) => {
    for (const times of [0, 1, 2]) {
      expect(mock).toHaveReceived("databaseSummary", { times });
      expect(mock).not.toHaveReceived("databaseSummary", { times: times + 1 });
      await summary();
    }
  });

  test("takes a filter", async ({ mock, database }) => {
    await summary();
    expect(mock).toHaveReceived({ status: 401, refusedBy: mock.requests[0]?.refusedBy });
    expect(mock).not.toHaveReceived({ operation: "databaseSummary", refused: false });
    expect(mock).not.toHaveReceived({ database });
  });

  test("says what was received instead, and why it was refused", async ({ mock }) => {
    await summary();
    const failure = () => expect(mock).toHaveReceived("addTarget", { times: 1 });
    expect(failure).toThrow("expected the mock to have received addTarget once, but it did not");
    expect(failure).toThrow("It received 1 request, 1 refused\n#1 ");
    expect(failure).toThrow("GET /summary → 401 AuthenticationFailure (databaseSummary)");
    expect(failure).toThrow(": send an Authorization header: the request has none");
  });

  test("says how often requests were received", async ({ mock, database }) => {
    await summary();
    await summary();
    expect(() => expect(mock).toHaveReceived("databaseSummary", { times: 3 })).toThrow(
      "to have received databaseSummary 3 times, but it did twice",
    );
    expect(() => expect(mock).not.toHaveReceived("databaseSummary")).toThrow(
      "not to have received databaseSummary, but it did twice",
    );
    expect(() => expect(mock).toHaveReceived({ database, refused: false })).toThrow(
      `to have received { refused: false, database: '${database.databaseName}' }, but it did not`,
    );
    expect(() => expect(mock).toHaveReceived({ database: "shop" }, { times: 2 })).toThrow(
      "to have received { database: 'shop' } twice, but it did not",
    );
  });

  test("refuses invalid arguments", ({ mock }) => {
    expect(() => expect({ requests: [] }).toHaveReceived("query")).toThrow(
      "expected a MockCloudReco; got { requests: [] }",
    );
    for (const times of [-1, 0.5, Number.NaN]) {
      expect(() => expect(mock).toHaveReceived("query", { times })).toThrow(
        `times must be a whole number, 0 or more; got ${times}`,
      );
    }
    // JavaScript has no types to prevent these, and negated they would always pass.
    const mistyped: [wanted: object | string, options: object | undefined, message: string][] = [
      ["querry", undefined, 'Invalid filter.operation: expected query; got "querry".'],
      [{ operation: "querry" }, undefined, "Invalid filter.operation: expected "],
      [{ opration: "query" }, undefined, "Invalid filter.opration: expected "],
      [
        "query",
        { time: 1 },
        "time is not a toHaveReceived option: expected times, fields, headers, json; pass filters",
      ],
      ["query", { times: 1, status: 201 }, "status is not a toHaveReceived option"],
    ];
    for (const [wanted, options, message] of mistyped) {
      expect(() => expect(mock).not.toHaveReceived(wanted as "query", options)).toThrow(message);
    }
  });
});

describe("toHaveReceived with content", () => {
  const sendForm = async () => {
    const form = new FormData();
    form.append("image", new Blob([new Uint8Array([1, 2])]), "a.png");
    form.append("max_num_results", "5");
    await fetch("https://cloudreco.vuforia.com/v1/query", {
      method: "POST",
      body: form,
      headers: { "X-Trace": "a-1" },
    });
  };

  test("takes fields of a form: text, patterns, files by their bytes", async ({ mock }) => {
    await sendForm();
    expect(mock).toHaveReceived("query", { fields: { max_num_results: "5" } });
    expect(mock).toHaveReceived("query", { times: 1, fields: { max_num_results: /^\d$/g } });
    expect(mock).toHaveReceived("query", { fields: { image: new Uint8Array([1, 2]) } });
    expect(mock).toHaveReceived({ refused: true }, { fields: { image: expect.any(Uint8Array) } });
    expect(mock).not.toHaveReceived("query", { fields: { image: new Uint8Array([1]) } });
    expect(mock).not.toHaveReceived("query", { fields: { max_num_results: "50" } });
    expect(mock).not.toHaveReceived("query", { fields: { include_target_data: "all" } });
  });

  test("takes headers with case-insensitive names", async ({ mock }) => {
    await sendForm();
    expect(mock).toHaveReceived("query", { headers: { "X-Trace": "a-1", "content-TYPE": /^multipart/ } });
    expect(mock).not.toHaveReceived("query", { headers: { "x-trace": "a-2" } });
  });

  test("takes JSON, whose objects may have further keys", async ({ mock }) => {
    const body = JSON.stringify({ name: "a", width: 1, list: [1, { deep: true, more: 1 }] });
    await fetch("https://vws.vuforia.com/targets", { method: "POST", body });
    expect(mock).toHaveReceived("addTarget", { json: { name: "a" } });
    expect(mock).toHaveReceived("addTarget", {
      json: { list: [1, { deep: true }], width: expect.any(Number) },
    });
    expect(mock).not.toHaveReceived("addTarget", { json: { list: [1] } });
    expect(mock).not.toHaveReceived("addTarget", { json: { list: { 0: 1 } } });
    expect(mock).not.toHaveReceived("addTarget", { json: { name: { length: 1 } } });
    expect(mock).not.toHaveReceived("addTarget", { json: { name: null } });
  });

  test("shows what was sent instead", async ({ mock }) => {
    await sendForm();
    expect(() => expect(mock).toHaveReceived("query", { fields: { max_num_results: "10" } })).toThrow(
      /to have received query with \{ fields: \{ max_num_results: '10' \} \}, but it did not\n\n#1 was sent with\n {3}content-type: multipart\/form-data; .*\n {3}image: ‹file of 2 bytes, neither PNG nor JPEG›\n {3}max_num_results: 5\n\nIt received 1 request/,
    );
  });

  test("refuses invalid arguments", ({ mock }) => {
    expect(() => expect(mock).toHaveReceived("query", { fields: "5" as never })).toThrow(
      "fields must be an object of names and values; got '5'",
    );
  });
});

describe("toHaveRefusedNothing", () => {
  test("ignores refusals that are expected", async ({ mock }) => {
    mock.expectRefusal({ operation: "databaseSummary" });
    await summary();
    expect(mock).toHaveRefusedNothing();
    await fetch("https://vws.vuforia.com/targets");
    expect(mock).not.toHaveRefusedNothing();
  });

  test("passes until a request is refused", async ({ mock }) => {
    expect(mock).toHaveRefusedNothing();
    await summary();
    expect(mock).not.toHaveRefusedNothing();
    expect(() => expect(mock).toHaveRefusedNothing()).toThrow(
      /to have refused nothing\n\nIt received 1 request, 1 refused\n#1 .*\n {3}\w+: send an Authorization header: /,
    );
  });

  test("says that all was served when it is negated", ({ mock }) => {
    expect(() => expect(mock).not.toHaveRefusedNothing()).toThrow(
      "to have refused a request, but it served all\n\nIt received 0 requests, none refused",
    );
  });
});

describe("the assertions for node:test", () => {
  test("throw an AssertionError with the same message", async ({ mock }) => {
    assertReceived(mock, "databaseSummary", { times: 0 });
    assertRefusedNothing(mock);
    await summary();
    assertReceived(mock, "databaseSummary");
    expect(() => assertReceived(mock, "query")).toThrow(
      expect.objectContaining({ code: "ERR_ASSERTION", message: expect.stringContaining("received query") }),
    );
    expect(() => assertRefusedNothing(mock)).toThrow(
      expect.objectContaining({ code: "ERR_ASSERTION", message: expect.stringContaining("refused nothing") }),
    );
  });
});

describe("a failing expectation points into the test", () => {
  const mock = new MockCloudReco({ intercept: false });
  it.each<[string, () => unknown]>([
    ["assertReceived", () => assertReceived(mock, "query")],
    ["assertReceived with an unknown option", () => assertReceived(mock, "query", { tmes: 1 } as never)],
    ["assertReceived with an unknown operation", () => assertReceived(mock, "querry" as never)],
    ["assertRefusedNothing without a mock", () => assertRefusedNothing({} as never)],
    ["toHaveReceived", () => expect(mock).toHaveReceived("query")],
    [
      "toHaveReceived with an unknown option",
      () => expect(mock).toHaveReceived("query", { tmes: 1 } as never),
    ],
    ["toHaveRefusedNothing without a mock", () => expect({}).toHaveRefusedNothing()],
  ])("%s", (_what, fail) => {
    let stack = "";
    try {
      fail();
    } catch (error) {
      stack = error instanceof Error ? (error.stack ?? "") : "";
    }
    const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
    const ours = frames.findIndex((frame) => frame.includes("matchers.test.ts"));
    expect(ours).toBeGreaterThan(-1);
    expect(frames.slice(0, ours).filter((frame) => /[\\/]src[\\/]/.test(frame))).toEqual([]);
  });
});

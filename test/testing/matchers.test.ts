import { test } from "mock-cloud-reco/vitest";
import { describe, expect } from "vitest";
import { assertReceived, assertRefusedNothing } from "../../src/testing/node-test.ts";

const summary = () => fetch("https://vws.vuforia.com/summary");

describe("toHaveReceived", () => {
  test("holds from the first request on", async ({ mock }) => {
    expect(mock).not.toHaveReceived("databaseSummary");
    await summary();
    expect(mock).toHaveReceived("databaseSummary");
    await summary();
    expect(mock).toHaveReceived("databaseSummary");
  });

  test("counts, where it is told how often", async ({ mock }) => {
    for (const times of [0, 1, 2]) {
      expect(mock).toHaveReceived("databaseSummary", { times });
      expect(mock).not.toHaveReceived("databaseSummary", { times: times + 1 });
      await summary();
    }
  });

  test("takes a filter", async ({ mock, database }) => {
    await summary();
    expect(mock).toHaveReceived({ status: 401, refusedBy: "authorizationGiven" });
    expect(mock).not.toHaveReceived({ operation: "databaseSummary", refused: false });
    expect(mock).not.toHaveReceived({ database });
  });

  test("says what was received instead, and why it was refused", async ({ mock }) => {
    await summary();
    const failure = () => expect(mock).toHaveReceived("addTarget", { times: 1 });
    expect(failure).toThrow("expected the mock to have received addTarget once, but it did not");
    expect(failure).toThrow("It received 1 request, 1 refused\n#1 ");
    expect(failure).toThrow("GET /summary → 401 AuthenticationFailure (databaseSummary)");
    expect(failure).toThrow("authorizationGiven: the request has no Authorization header");
  });

  test("says how often it was", async ({ mock, database }) => {
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

  test("refuses what makes no sense", ({ mock }) => {
    expect(() => expect({ requests: [] }).toHaveReceived("query")).toThrow(
      "expected a MockCloudReco, got { requests: [] }",
    );
    for (const times of [-1, 0.5, Number.NaN]) {
      expect(() => expect(mock).toHaveReceived("query", { times })).toThrow(
        `times must be a whole number from 0 on, got ${times}`,
      );
    }
    // JavaScript has no types to say so, and negated they would always hold.
    const mistyped: [wanted: object | string, options: object | undefined, message: string][] = [
      ["querry", undefined, 'Invalid filter.operation: got "querry"; accepted is addTarget, '],
      [{ operation: "querry" }, undefined, 'Invalid filter.operation: got "querry"'],
      [{ opration: "query" }, undefined, "Invalid filter.opration: got an unknown name"],
      ["query", { time: 1 }, "time is no option of toHaveReceived; accepted is times"],
      ["query", { times: 1, status: 201 }, "status is no option of toHaveReceived"],
    ];
    for (const [wanted, options, message] of mistyped) {
      expect(() => expect(mock).not.toHaveReceived(wanted as "query", options)).toThrow(message);
    }
  });
});

describe("toHaveRefusedNothing", () => {
  test("holds until a request is refused", async ({ mock }) => {
    expect(mock).toHaveRefusedNothing();
    await summary();
    expect(mock).not.toHaveRefusedNothing();
    expect(() => expect(mock).toHaveRefusedNothing()).toThrow(
      /to have refused nothing\n\nIt received 1 request, 1 refused\n#1 .*\n {3}authorizationGiven: /,
    );
  });

  test("negated, says that all was served", ({ mock }) => {
    expect(() => expect(mock).not.toHaveRefusedNothing()).toThrow(
      "to have refused a request, but it served all\n\nIt received 0 requests, none refused",
    );
  });
});

describe("the assertions for node:test", () => {
  test("throw the same as AssertionError", async ({ mock }) => {
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

import { describe, expect, it, vi } from "vitest";
import { MockSession } from "../support/mock-session.ts";
import { openFixture } from "./open-fixture.ts";

const summary = () => fetch("https://vws.vuforia.com/summary");

describe("a test that passed", () => {
  it("prints nothing", async () => {
    const { end } = openFixture();
    await summary();
    const print = vi.fn();
    expect(end({ failed: false, print })).toBeUndefined();
    expect(print).not.toHaveBeenCalled();
  });

  it("does not fail for refusals that are expected or excepted", async () => {
    const { mock, end } = openFixture({
      failOnRefusedRequests: true,
      except: [{ operation: "listTargets" }, { status: 418 }],
    });
    mock.expectRefusal({ operation: "databaseSummary", status: 401 });
    await summary();
    await fetch("https://vws.vuforia.com/targets");
    expect(end({ failed: false })).toBeUndefined();
  });

  it("fails when an expected refusal did not occur", async () => {
    const { mock, end } = openFixture();
    mock.expectRefusal({ operation: "addTarget", resultCode: "TargetNameExist" });
    mock.expectRefusal({ status: 403 });
    await summary();
    expect(() => end({ failed: false })).toThrow(
      /^expected a refusal that did not occur: \{ operation: 'addTarget', resultCode: 'TargetNameExist' \}, and 1 more\nThe mock received 1 request, 1 refused\n#1 /,
    );
  });

  it("does not count responses to polling as refusals", async () => {
    const { mock, database, end } = openFixture({ failOnRefusedRequests: true, processingTimeSeconds: 60 });
    const month = new Date().toISOString().slice(0, 7);
    const path = `/imagetargets/databases/${database.databaseId}/reports/recoCounts`;
    const answer = await new MockSession(mock, database).target({ method: "POST", path, body: { month } });
    const { presigned_url: url } = JSON.parse(answer.body.toString());
    expect((await fetch(url)).status).toBe(404);
    expect(mock.requests.at(-1)).toMatchObject({
      status: 404,
      refusedBy: undefined,
      reason: "ask again later, or advance the clock: the report is ready 60 s after it was requested",
    });
    expect(end({ failed: false })).toBeUndefined();
  });
});

it("filters that cannot match anything are refused at once", () => {
  const before = globalThis.fetch;
  expect(() => openFixture({ except: { operation: "querry" as "query" } })).toThrow("filter.operation");
  expect(globalThis.fetch).toBe(before);
  const { mock, end } = openFixture();
  expect(() => mock.expectRefusal({ opration: "query" } as never)).toThrow("filter.opration");
  end({ failed: false });
});

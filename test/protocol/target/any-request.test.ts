import fc from "fast-check";
import { expect, it } from "vitest";
import { describeBackends } from "../../support/backends.ts";
import { codePoint } from "../../support/code-point.ts";
import { times } from "../../support/combinations.ts";
import { send } from "./requests.ts";

const STATUSES = [200, 201, 400, 401, 403, 404, 408, 422, 429, 500];

const routes = fc.constantFrom(
  ["POST", "/targets"],
  ["GET", "/targets"],
  ["GET", "/targets/x"],
  ["PUT", "/targets/x"],
  ["DELETE", "/targets/x"],
  ["GET", "/duplicates/x"],
  ["GET", "/summary"],
  ["GET", "/summary/x"],
);
const textBody = fc.json().map((text) => Buffer.from(text));
const targetBody = fc
  .record(
    {
      name: fc.oneof(fc.string({ unit: codePoint }), fc.jsonValue()),
      width: fc.oneof(fc.double(), fc.jsonValue()),
      image: fc.oneof(fc.base64String(), fc.string(), fc.jsonValue()),
      active_flag: fc.jsonValue(),
      application_metadata: fc.oneof(fc.base64String(), fc.jsonValue()),
    },
    { requiredKeys: [] },
  )
  .map((fields) => Buffer.from(JSON.stringify(fields)));
const bodies = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  textBody,
  targetBody,
);
const contentTypes = fc.constantFrom(
  "application/json",
  "application/json; charset=utf-8",
  "text/plain",
  "x",
);

describeBackends("any request to the target API", (backend) => {
  it("gets a response from the table, and never an error", async () => {
    await using service = await backend.open({ processingTimeSeconds: 0 });
    const keys = await service.addCloudDatabase();
    await fc.assert(
      fc.asyncProperty(routes, bodies, contentTypes, async ([method = "", path = ""], body, contentType) => {
        const response = await send(service, keys, { method, path, body, contentType });
        expect(STATUSES).toContain(response.status);
        const { refusedBy, reason } = await service.latest();
        if (response.status >= 400) expect([refusedBy, reason]).not.toContain(undefined);
      }),
      { numRuns: times(150, 50) },
    );
  });
});

import { createHash, createHmac } from "node:crypto";
import axios from "axios";
import { describe, expect, it } from "vitest";
import { nodeClient } from "../../support/clients.ts";
import { makePng, palette } from "../../support/png.ts";
import { lines, opened } from "./opened.ts";

describe("the printed journal explains how to fix", () => {
  it("a content type that was signed with its parameters", async () => {
    await using service = await opened();
    const { mock, session, database } = service;
    const { headers, body = Buffer.alloc(0), ...rest } = session.signedQuery();
    const type = headers["Content-Type"];
    const digest = createHash("md5").update(body).digest("hex");
    const signature = createHmac("sha1", database.clientSecretKey)
      .update(["POST", digest, type, headers.Date, "/v1/query"].join("\n"))
      .digest("base64");
    const Authorization = `VWS ${database.clientAccessKey}:${signature}`;
    await nodeClient({ ...rest, body, headers: { ...headers, Authorization } });
    expect(lines(mock.explain())).toEqual([
      "1 request, 1 refused",
      '#1 2026-11-21T12:00:00.000Z POST /v1/query → 401 AuthenticationFailure (query, database "shop") [signature.content-type]',
      expect.stringMatching(
        /^\w+: sign the Content-Type that is sent, up to its first semicolon \("multipart\/form-data", not "multipart\/form-data; boundary=b0undary"\); the signature does not match\. String to sign, expected: .*multipart\/form-data▶\\nSat.*; signed: .*multipart\/form-data▶; boundary=b0undary/,
      ),
    ]);
  });

  it("the wrong secret key", async () => {
    await using service = await opened();
    const { mock, session, database } = service;
    await session.target({ method: "GET", path: "/targets", secretKey: "not it" });
    await session.target({ method: "GET", path: "/targets", secretKey: database.clientSecretKey });
    expect(lines(mock.explain()).filter((line) => / secret key/.test(line))).toEqual([
      expect.stringContaining(": check the secret key, and that exactly this is signed"),
      expect.stringContaining(
        "sign with the secret key that belongs to the access key: the signature was made with the database's client secret key",
      ),
    ]);
  });

  it("an Accept header that leaves out JSON on a query", async () => {
    await using service = await opened();
    const { mock, session } = service;
    const { body, ...query } = session.signedQuery();
    const headers = { ...query.headers, Accept: "text/html" };
    await axios.request({ ...query, headers, data: body }).catch(() => {});
    expect(lines(mock.explain())[2]).toContain(
      ': set an Accept header that covers application/json, to replace the client\'s default: it is "text/html"',
    );
  });

  it("a skewed clock", async () => {
    await using service = await opened();
    const { mock, session } = service;
    await session.target({ method: "GET", path: "/targets", date: "Sat, 21 Nov 2026 11:00:00 GMT" });
    expect(lines(mock.explain()).slice(1)).toEqual([
      '#1 2026-11-21T12:00:00.000Z GET /targets → 403 RequestTimeTooSkewed (listTargets, database "shop") [date.skewed]',
      expect.stringContaining(
        ": send GMT, as new Date().toUTCString() returns it, or correct the client's clock, or the mock's if a test set it: " +
          'the Date header is "Sat, 21 Nov 2026 11:00:00 GMT", 1 h behind, which looks like local time labelled GMT, ' +
          "but the service's clock says Sat, 21 Nov 2026 12:00:00 GMT; expected less than 5 minutes between them",
      ),
    ]);
  });

  it("a palette PNG", async () => {
    await using service = await opened();
    const { mock, session } = service;
    const image = makePng({ colourType: 3, before: [palette] }).toString("base64");
    await session.add({ image });
    expect(lines(mock.explain()).slice(1)).toEqual([
      '#1 2026-11-21T12:00:00.000Z POST /targets → 422 BadImage (addTarget, database "shop") [image.colours]',
      expect.stringContaining(
        ": convert the image to RGB: it is a PNG of colour type 3 (8-bit palette); expected greyscale of 2, 4 or 8 bits, " +
          "or RGB of 8 or 16 bits",
      ),
    ]);
  });

  it("a path that nothing serves, a method, and another API's path", async () => {
    await using service = await opened();
    const { mock, session } = service;
    const message =
      "correct the path: nothing is served at GET /target; the nearest route is GET /targets (listTargets)";
    await expect(session.target({ method: "GET", path: "/target" })).rejects.toThrow(message);
    await session.target({ method: "DELETE", path: "/targets" });
    await expect(session.target({ method: "POST", path: "/v1/query" })).rejects.toThrow("query API");
    expect(lines(mock.explain())).toEqual([
      "3 requests, 3 refused",
      "#1 2026-11-21T12:00:00.000Z GET /target → no response [path.unknown]",
      `route: ${message}`,
      "#2 2026-11-21T12:00:00.000Z DELETE /targets → 404 [method.unknown]",
      "route: use POST (addTarget), GET (listTargets): /targets does not support the method DELETE",
      "#3 2026-11-21T12:00:00.000Z POST /v1/query → no response [path.other-api]",
      "route: send it to the base URL of the query API (option queryUrl): this host does not serve POST /v1/query",
    ]);
  });

  it.each([
    ["an Error", new Error("no model loaded")],
    ["some text", "no model loaded"],
  ])("a matcher that fails with %s", async (_what, thrown) => {
    const queryMatcher = () => {
      throw thrown;
    };
    await using service = await opened({ queryMatcher });
    const { mock, session, database } = service;
    await mock.addTarget(database, { image: makePng(), processed: true });
    await expect(session.query()).rejects.toThrow("no model loaded");
    expect(lines(mock.explain()).slice(0, 3)).toEqual([
      "1 request, 1 refused",
      '#1 2026-11-21T12:00:00.000Z POST /v1/query → no response (query, database "shop") [emulator.failed]',
      "emulator: the request failed: no model loaded",
    ]);
  });
});

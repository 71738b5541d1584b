import { createHash, createHmac } from "node:crypto";
import fc from "fast-check";
import { authorizationHeader, rfc1123Date } from "mock-cloud-reco";
import { describe, expect, it } from "vitest";
import { codePoint } from "../support/code-point.ts";

const keys = { accessKey: "access", secretKey: "sécret" };
const md5 = (text: string) => createHash("md5").update(text).digest("hex");
const hmac = (text: string) =>
  createHmac("sha1", Buffer.from("sécret", "utf8")).update(text).digest("base64");

describe("authorizationHeader", () => {
  it("signs the five parts joined with line feeds", () => {
    const header = authorizationHeader({
      ...keys,
      method: "post",
      path: "/targets",
      body: '{"a":"é"}',
      contentType: "application/json; charset=utf-8",
      date: "Sat, 21 Nov 2026 10:42:00 GMT",
    });
    const expected = hmac(
      `POST\n${md5('{"a":"é"}')}\napplication/json\nSat, 21 Nov 2026 10:42:00 GMT\n/targets`,
    );
    expect(header).toBe(`VWS access:${expected}`);
  });

  it("keys an HMAC-SHA1 with any secret key, for any path", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: codePoint, maxLength: 200 }),
        fc.string({ unit: codePoint }),
        (secretKey, path) => {
          const text = `GET\n${md5("")}\n\n\n${path}`;
          const expected = createHmac("sha1", secretKey).update(text).digest("base64");
          expect(authorizationHeader({ accessKey: "a", secretKey, method: "GET", path })).toBe(
            `VWS a:${expected}`,
          );
        },
      ),
    );
  });

  it("signs an absent body, content type and date as empty", () => {
    expect(authorizationHeader({ ...keys, method: "GET", path: "/summary" })).toBe(
      `VWS access:${hmac(`GET\n${md5("")}\n\n\n/summary`)}`,
    );
  });

  it("signs bytes and the same text alike", () => {
    const parts = { ...keys, method: "PUT", path: "/targets/x", contentType: "application/json" };
    expect(authorizationHeader({ ...parts, body: new TextEncoder().encode("é") })).toBe(
      authorizationHeader({ ...parts, body: "é" }),
    );
  });
});

describe("rfc1123Date", () => {
  it("is GMT with two-digit fields", () => {
    expect(rfc1123Date(new Date(Date.UTC(2026, 0, 2, 3, 4, 5)))).toBe("Fri, 02 Jan 2026 03:04:05 GMT");
  });

  it("rejects an invalid date", () => {
    expect(() => rfc1123Date(new Date(Number.NaN))).toThrow(
      new RangeError("expected a valid date; got an invalid one"),
    );
  });
});

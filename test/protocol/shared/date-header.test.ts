import fc from "fast-check";
import { rfc1123Date } from "mock-cloud-reco";
import { describe, expect, it } from "vitest";
import {
  parseDateHeader,
  QUERY_DATE_FORMS,
  TARGET_API_DATE_FORMS,
} from "../../../src/core/apis/signed/framing.ts";

const MOMENT = Date.UTC(2026, 10, 21, 10, 42, 0);
const target = (text: string) => parseDateHeader(text, TARGET_API_DATE_FORMS);
const query = (text: string) => parseDateHeader(text, QUERY_DATE_FORMS);

describe("the Date header of the target API", () => {
  it.each([
    "Sat, 21 Nov 2026 10:42:00 GMT",
    "sat, 21 nov 2026 10:42:00 gmt",
    "Mon, 21 Nov 2026 10:42:00 GMT",
    "Sat,  21  Nov  2026  10:42:0  GMT",
  ])("reads %s", (text) => {
    expect(target(text)).toBe(MOMENT);
  });

  it("reads numbers of one digit", () => {
    expect(target("Sun, 1 Nov 2026 1:2:3 GMT")).toBe(Date.UTC(2026, 10, 1, 1, 2, 3));
  });

  it.each([
    "",
    "Sat, 21 Nov 2026 10:42:00",
    "Sat 21 Nov 2026 10:42:00 GMT",
    "Saturday, 21 Nov 2026 10:42:00 GMT",
    "Sat, 31 Nov 2026 10:42:00 GMT",
    "Sat, 21 Nov 26 10:42:00 GMT",
    "Sat, 21 Nov 0000 10:42:00 GMT",
    "Sat, 21 Nov 2026 24:42:00 GMT",
    "Sat, 21 Nov 2026 10:60:00 GMT",
    "Sat, 21 Nov 2026 10:42:60 GMT",
    "Sat, 21 Nov 2026 10:42:00 UTC",
    "2026-11-21T10:42:00Z",
  ])("refuses %j", (text) => {
    expect(target(text)).toBeUndefined();
  });

  it("reads what the helper writes, for any moment of four-digit years", () => {
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(9999, 0) }), (moment) => {
        const wholeSeconds = Math.floor(moment / 1000) * 1000;
        expect(target(rfc1123Date(new Date(wholeSeconds)))).toBe(wholeSeconds);
      }),
    );
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.string(), (text) => target(text) === undefined || Number.isFinite(target(text))),
    );
  });
});

describe("the Date header of queries", () => {
  it.each([
    "Sat, Nov 21 10:42:00 2026",
    "Sat Nov 21 10:42:00 2026",
    "Sat, 21 Nov 2026 10:42:00",
    "Sat 21 Nov 2026 10:42:00",
  ])("reads %s, with and without GMT", (text) => {
    expect([query(text), query(`${text} GMT`)]).toEqual([MOMENT, MOMENT]);
  });

  it.each(["Nov 21 10:42:00 2026", "Sat, 21 Nov 2026 10:42:00 UTC", "2026-11-21"])("refuses %s", (text) => {
    expect(query(text)).toBeUndefined();
  });
});

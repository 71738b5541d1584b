import { beforeEach, describe, expect, it } from "vitest";
import type { ProfileName } from "../../../src/profiles.ts";
import { DirectEmulator } from "../../support/direct-emulator.ts";
import { makePng } from "../../support/png.ts";
import { jsonObject, sendSigned } from "../../support/signed.ts";

const keys = { server_access_key: "access", server_secret_key: "secret" };
const path = "/imagetargets/databases/my%20id/reports/recoCounts";
const image_base64 = makePng().toString("base64");

let emulator: DirectEmulator;

async function open(profile?: ProfileName): Promise<void> {
  emulator = new DirectEmulator({ reportBaseUrl: "https://proxy.example/vws/" }, profile);
  emulator.now = Date.parse("2026-03-01T00:00:00.250Z");
  await emulator.manage("POST", "/cloud_databases", { ...keys, database_id: "my id", database_name: "db" });
}

async function addTarget(target_id: string, counts: object): Promise<void> {
  const target = { name: target_id, width: 1, image_base64, target_id };
  expect((await emulator.manage("POST", "/cloud_databases/db/targets", target)).status).toBe(201);
  await emulator.manage("POST", `/cloud_databases/db/targets/${target_id}/recognition_counts`, counts);
}

const ask = (month: unknown) => sendSigned(emulator, keys, "POST", path, { month });

async function url(month: string): Promise<URL> {
  return new URL(String(jsonObject(await ask(month)).presigned_url));
}

const download = ({ pathname, search }: URL) =>
  emulator.send("target", { method: "GET", path: pathname.replace("/vws", "") + search });

beforeEach(() => open());

describe("POST /imagetargets/databases/{database_id}/reports/recoCounts", () => {
  it("answers with a URL in the shape of a presigned one", async () => {
    const answer = await ask("2026-03");
    expect(answer.status).toBe(200);
    expect(Object.keys(jsonObject(answer))).toEqual(["result_code", "transaction_id", "presigned_url"]);
    const text = String(jsonObject(answer).presigned_url);
    expect(text).toMatch(/^https:\/\/proxy\.example\/vws\/reports\/my%20id\/2026-03-01-00\.csv\?/);
    const parameters = [...new URL(text).searchParams];
    expect(parameters).toEqual([
      ["X-Storage-Security-Token", expect.stringMatching(/^[A-Za-z0-9+/]+=*$/)],
      ["X-Storage-Algorithm", "STORAGE4-HMAC-SHA256"],
      ["X-Storage-Date", "20260301T000000Z"],
      ["X-Storage-SignedHeaders", "host"],
      ["X-Storage-Credential", expect.stringMatching(/^[A-Z]{20}\/20260301\/us-east-2\/storage\/request$/)],
      ["X-Storage-Expires", "604799"],
      ["X-Storage-Signature", expect.stringMatching(/^[0-9a-f]{64}$/)],
    ]);
    expect(text.split("?")[1]).not.toMatch(/[/+]/);
  });

  it("takes the parameters' names from the vuforia profile", async () => {
    await open("vuforia");
    const { searchParams } = await url("2026-02");
    expect([...searchParams.keys()].every((name) => name.startsWith("X-Amz-"))).toBe(true);
    expect(searchParams.get("X-Amz-Algorithm")).toBe("AWS4-HMAC-SHA256");
    expect(searchParams.get("X-Amz-Credential")).toMatch(/\/20260301\/us-east-2\/s3\/aws4_request$/);
  });

  it.each([
    "2026-01",
    "2026-04",
    "2025-03",
    "2026-3",
    "2026-03 ",
    "2026-03-01",
    "",
    "٢٠٢٦-٠٣",
    202603,
    null,
    ["2026-03"],
  ])("refuses the month %j", async (month) => {
    const answer = await ask(month);
    expect(answer.status).toBe(400);
    expect(jsonObject(answer).result_code).toBe("Fail");
    expect(emulator.emulator.journal.entries.at(-1)?.reason).toContain(
      'month must be "2026-03" or "2026-02"',
    );
  });

  it("checks the month last", async () => {
    const headers = { "Content-Type": "" };
    const answer = await sendSigned(emulator, keys, "POST", path, { month: "x" }, headers);
    expect(answer.status).toBe(401);
  });

  it("serves only the keys' own database", async () => {
    const other = "/imagetargets/databases/db/reports/recoCounts";
    const answer = await sendSigned(emulator, keys, "POST", other, { month: "2026-03" });
    expect([answer.status, jsonObject(answer).result_code]).toEqual([401, "AuthenticationFailure"]);
  });
});

describe("GET /reports/{database_id}/{file}.csv", () => {
  it("is the month's counts by target id, once the processing time has passed", async () => {
    await addTarget("b", { current_month_recos: 3, previous_month_recos: 1 });
    await addTarget("a", { current_month_recos: 5 });
    await addTarget("none", { total_recos: 9 });
    await addTarget("gone", { current_month_recos: 7 });
    await emulator.manage("DELETE", "/cloud_databases/db/targets/gone");
    const [current, previous] = [await url("2026-03"), await url("2026-02")];
    expect(previous.pathname).toBe("/vws/reports/my%20id/2026-02.csv");
    emulator.now += 1999;
    expect((await download(current)).status).toBe(404);
    emulator.now += 1;
    const report = await download(current);
    expect(report.status).toBe(200);
    expect(report.text).toBe("target_id,reco_count\r\na,5\r\nb,3\r\n");
    expect(report.headerNames).toEqual(["Content-Type", "Content-Length", "Date"]);
    expect(report.header("content-type")).toBe("text/plain");
    expect((await download(previous)).text).toBe("target_id,reco_count\r\nb,1\r\n");
  });

  it("stays what it was when it was first requested, and as ready", async () => {
    await addTarget("a", { current_month_recos: 5 });
    await url("2026-03");
    emulator.now += 2000;
    await addTarget("b", { current_month_recos: 6 });
    expect((await download(await url("2026-03"))).text).toBe("target_id,reco_count\r\na,5\r\n");
    emulator.now += 3_600_000;
    const nextHour = await url("2026-03");
    expect(nextHour.pathname).toContain("2026-03-01-01");
    expect((await download(nextHour)).status).toBe(404);
    emulator.now += 2000;
    expect((await download(nextHour)).text).toBe("target_id,reco_count\r\na,5\r\nb,6\r\n");
  });

  it("goes with its database, and is not there again when the database is", async () => {
    const current = await url("2026-03");
    emulator.now += 2000;
    expect((await download(current)).status).toBe(200);
    await emulator.manage("DELETE", "/cloud_databases/db");
    await emulator.manage("POST", "/cloud_databases", { ...keys, database_id: "my id" });
    expect((await download(current)).status).toBe(404);
  });

  it("explains a file that does not exist, whatever its name", async () => {
    const current = await url("2026-03");
    current.pathname = "/vws/reports/my%20id/%3Ca%26%00%3E.csv";
    const refused = await download(current);
    expect(refused.status).toBe(404);
    expect(refused.headerNames).toEqual(["Content-Type", "Content-Length", "Date"]);
    expect(refused.header("content-type")).toBe("application/xml");
    expect(refused.text).toMatch(
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<Error><Code>NoSuchKey<\/Code><Message>The specified key does not exist\.<\/Message><Key>my id\/&lt;a&amp;\ufffd&gt;\.csv<\/Key><RequestId>[0-9A-F]{16}<\/RequestId><HostId>[A-Za-z0-9+/]+=*<\/HostId><\/Error>\n$/,
    );
  });

  it("expires to the second", async () => {
    const current = await url("2026-03");
    emulator.now = Date.parse("2026-03-08T00:00:00.000Z") - 1000;
    expect((await download(current)).status).toBe(200);
    emulator.now += 1000;
    const refused = await download(current);
    expect(refused.status).toBe(403);
    expect(refused.text).toContain(
      "<Error><Code>AccessDenied</Code><Message>Request has expired</Message><X-Storage-Expires>604799</X-Storage-Expires>" +
        "<Expires>2026-03-07T23:59:59Z</Expires><ServerTime>2026-03-08T00:00:00Z</ServerTime><RequestId>",
    );
  });

  const NAMES = [
    "Security-Token",
    "Algorithm",
    "Date",
    "SignedHeaders",
    "Credential",
    "Expires",
    "Signature",
  ];

  it.each(NAMES)("needs the parameter %s, in this very spelling", async (name) => {
    const current = await url("2026-03");
    emulator.now += 2000;
    const value = current.searchParams.get(`X-Storage-${name}`) ?? "";
    current.searchParams.delete(`X-Storage-${name}`);
    current.searchParams.set(`X-Amz-${name}`, value);
    current.searchParams.set(`x-storage-${name.toLowerCase()}`, value);
    const refused = await download(current);
    expect(refused.status).toBe(403);
    expect(refused.text).toContain(
      "<Error><Code>AccessDenied</Code><Message>Access Denied</Message><RequestId>",
    );
    expect(emulator.emulator.journal.entries.at(-1)?.reason).toBe(`the URL lacks X-Storage-${name}`);
    current.searchParams.set(`X-Storage-${name}`, value);
    expect((await download(current)).status).toBe(200);
  });

  it.each(["Security-Token", "Algorithm", "SignedHeaders", "Credential", "Signature"])(
    "never looks at the value of %s",
    async (name) => {
      const current = await url("2026-03");
      emulator.now += 2000;
      current.searchParams.set(`X-Storage-${name}`, "edited");
      expect((await download(current)).status).toBe(200);
    },
  );

  it.each([
    ["Date", "20260301T00000Z"],
    ["Date", "20260230T000000Z"],
    ["Date", "20260301T246060Z"],
    ["Date", "2026-03-01T00:00:00Z"],
    ["Date", ""],
    ["Expires", ""],
    ["Expires", "-1"],
    ["Expires", "6e5"],
    ["Expires", "604799.5"],
  ])("refuses %s=%s", async (name, value) => {
    const current = await url("2026-03");
    emulator.now += 2000;
    current.searchParams.set(`X-Storage-${name}`, value);
    expect((await download(current)).text).toContain("<Message>Access Denied</Message>");
  });

  it("takes the first of repeated parameters", async () => {
    const current = await url("2026-03");
    emulator.now += 2000;
    current.searchParams.append("X-Storage-Expires", "0");
    expect((await download(current)).status).toBe(200);
    current.searchParams.set("X-Storage-Expires", "0");
    current.searchParams.append("X-Storage-Expires", "604799");
    expect((await download(current)).text).toContain("Request has expired");
  });

  it("checks the parameters before the file", async () => {
    const missing = await emulator.send("target", { method: "GET", path: "/reports/x/y.csv" });
    expect(missing.status).toBe(403);
    expect((await emulator.send("target", { method: "GET", path: "/reports/x/y.txt" })).status).toBe(404);
  });

  it("has no limit on header lines", async () => {
    const current = await url("2026-03");
    emulator.now += 2000;
    const headers = { "X-Long": "x".repeat(9000) };
    const path = current.pathname.replace("/vws", "") + current.search;
    expect((await emulator.send("target", { method: "GET", path, headers })).status).toBe(200);
  });
});

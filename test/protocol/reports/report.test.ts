import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { get as getUrl, manage, sendSigned } from "../../support/answers.ts";
import { type BackendOptions, describeBackends, type ServiceUnderTest } from "../../support/backends.ts";
import { makePng } from "../../support/png.ts";

const keys = { serverAccessKey: "access", serverSecretKey: "secret" };
const path = "/imagetargets/databases/my%20id/reports/recoCounts";
const image_base64 = makePng().toString("base64");

describeBackends("recognition-counts reports", (backend) => {
  let service: ServiceUnderTest;

  async function open(options: BackendOptions = {}): Promise<void> {
    service = await backend.open({
      targetUrl: "https://proxy.example/vws/",
      processingTimeSeconds: 2,
      ...options,
    });
    service.clock.set(new Date("2026-03-01T00:00:00.250Z"));
    await service.addCloudDatabase({ ...keys, databaseId: "my id", databaseName: "db" });
  }

  async function addTarget(target_id: string, counts: object): Promise<void> {
    const target = { name: target_id, width: 1, image_base64, target_id };
    expect((await manage(service, "POST", "/cloud_databases/db/targets", target)).status).toBe(201);
    await manage(service, "POST", `/cloud_databases/db/targets/${target_id}/recognition_counts`, counts);
  }

  /** Servers do not listen at the configured base URL. */
  const get = (at: string | URL, headers?: Readonly<Record<string, string>>) =>
    getUrl(String(at).replace(/^https:\/\/proxy\.example\/vws/, service.urls.target), headers);
  const ask = (month: unknown) => sendSigned(service, keys, { method: "POST", path, body: { month } });
  const url = async (month: string) => new URL(String((await ask(month)).fields.presigned_url));

  beforeEach(() => open());
  afterEach(() => service[Symbol.asyncDispose]());

  describe("POST /imagetargets/databases/{database_id}/reports/recoCounts", () => {
    it("answers with a URL in the form of a presigned one", async () => {
      const answer = await ask("2026-03");
      expect(answer.status).toBe(200);
      expect(Object.keys(answer.fields)).toEqual(["result_code", "transaction_id", "presigned_url"]);
      const text = String(answer.fields.presigned_url);
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

    it("says in the journal which months there are", async () => {
      expect((await ask("2026-01")).status).toBe(400);
      expect((await service.latest()).reason).toContain('send "2026-03" or "2026-02" as month');
    });
  });

  describe("GET /reports/{database_id}/{file}.csv", () => {
    it("has the month's counts by target id when the processing time has passed", async () => {
      await addTarget("b", { current_month_recos: 3, previous_month_recos: 1 });
      await addTarget("a", { current_month_recos: 5 });
      await addTarget("none", { total_recos: 9 });
      await addTarget("gone", { current_month_recos: 7 });
      await manage(service, "DELETE", "/cloud_databases/db/targets/gone");
      const [current, previous] = [await url("2026-03"), await url("2026-02")];
      expect(previous.pathname).toBe("/vws/reports/my%20id/2026-02.csv");
      service.clock.advance(1.999);
      expect((await get(current)).status).toBe(404);
      service.clock.advance(0.001);
      const report = await get(current);
      expect(report.status).toBe(200);
      expect(report.text).toBe("target_id,reco_count\r\na,5\r\nb,3\r\n");
      expect(report.headerNames).toEqual(["Content-Type", "Date", "Content-Length"]);
      expect(report.headers["content-type"]).toBe("text/plain");
      expect((await get(previous)).text).toBe("target_id,reco_count\r\nb,1\r\n");
    });

    it("stays as it was at its first request, and stays ready", async () => {
      await addTarget("a", { current_month_recos: 5 });
      await url("2026-03");
      service.clock.advance(2);
      await addTarget("b", { current_month_recos: 6 });
      expect((await get(await url("2026-03"))).text).toBe("target_id,reco_count\r\na,5\r\n");
      service.clock.advance(3600);
      const nextHour = await url("2026-03");
      expect(nextHour.pathname).toContain("2026-03-01-01");
      expect((await get(nextHour)).status).toBe(404);
      service.clock.advance(2);
      expect((await get(nextHour)).text).toBe("target_id,reco_count\r\na,5\r\nb,6\r\n");
    });

    it("is deleted with its database, even if the database is added again", async () => {
      const current = await url("2026-03");
      service.clock.advance(2);
      expect((await get(current)).status).toBe(200);
      await manage(service, "DELETE", "/cloud_databases/db");
      await service.addCloudDatabase({ ...keys, databaseId: "my id" });
      expect((await get(current)).status).toBe(404);
    });

    it("expires to the second", async () => {
      const current = await url("2026-03");
      service.clock.set(new Date("2026-03-07T23:59:59Z"));
      expect((await get(current)).status).toBe(200);
      service.clock.advance(1);
      const refused = await get(current);
      expect(refused.status).toBe(403);
      expect(refused.text).toContain(
        "<Error><Code>AccessDenied</Code><Message>Request has expired</Message><X-Storage-Expires>604799</X-Storage-Expires>" +
          "<Expires>2026-03-07T23:59:59Z</Expires><ServerTime>2026-03-08T00:00:00Z</ServerTime><RequestId>",
      );
    });

    it("says in the journal which parameter is missing", async () => {
      const current = await url("2026-03");
      current.searchParams.delete("X-Storage-Date");
      expect((await get(current)).status).toBe(403);
      expect((await service.latest()).reason).toBe(
        "download from the URL as it was returned: it lacks X-Storage-Date",
      );
    });

    it.each(["Security-Token", "Algorithm", "SignedHeaders", "Credential", "Signature"])(
      "ignores the value of %s",
      async (name) => {
        const current = await url("2026-03");
        service.clock.advance(2);
        current.searchParams.set(`X-Storage-${name}`, "edited");
        expect((await get(current)).status).toBe(200);
      },
    );

    it("reads the first of repeated parameters", async () => {
      const current = await url("2026-03");
      service.clock.advance(2);
      current.searchParams.append("X-Storage-Expires", "0");
      expect((await get(current)).status).toBe(200);
      current.searchParams.set("X-Storage-Expires", "0");
      current.searchParams.append("X-Storage-Expires", "604799");
      expect((await get(current)).text).toContain("Request has expired");
    });

    it("has no limit on header lines", async () => {
      const current = await url("2026-03");
      service.clock.advance(2);
      const headers = { "X-Long": "x".repeat(9000) };
      expect((await get(current, headers)).status).toBe(200);
    });
  });
});

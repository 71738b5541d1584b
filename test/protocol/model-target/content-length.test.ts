import type { ProfileName } from "mock-cloud-reco";
import { startServers } from "mock-cloud-reco/server";
import { describe, expect, it } from "vitest";
import { RawConnection } from "../../servers/raw-connection.ts";
import { openDirectly } from "./api.ts";
import { ADVANCED, STANDARD } from "./requests.ts";

const LENGTHS = ["1.5", "x"];
const refused: readonly (readonly [ProfileName, string, string])[] = [
  ["neutral", "Content-Type: application/json", '"The Content-Length header must be an integer"'],
  ["vuforia", "Server: awselb/2.0", "<center><h1>400 Bad Request</h1></center>"],
];
const entry = {
  operation: "createDataset",
  reason: expect.stringMatching(/^send the length of the body in bytes as Content-Length: it is "(1\.5|x)"/),
  status: 400,
};

/** No HTTP client sends such a header: the bytes are the test's own. */
describe("a Content-Length that is no whole number is refused by dataset creation", () => {
  it.each(refused)("in process, as the profile %s says", async (profile, header, text) => {
    await using api = openDirectly({ profile });
    for (const path of [STANDARD, ADVANCED]) {
      for (const length of LENGTHS) {
        const { status, headers, body } = await api.send({
          method: "POST",
          path,
          headers: { "Content-Length": length },
        });
        expect([status, body.toString()]).toEqual([400, expect.stringContaining(text)]);
        expect(headers.map((line) => line.join(": "))).toContain(header);
        expect(await api.latest()).toMatchObject(entry);
      }
    }
  });

  it.each(["-1", "+5", " 7 "])("but %j is one", async (length) => {
    await using api = openDirectly();
    await api.send({ method: "POST", path: STANDARD, headers: { "Content-Length": length } });
    expect(await api.latest()).toMatchObject({ reason: expect.stringContaining("Bearer"), status: 401 });
  });

  it.each(refused)("on servers, as the profile %s says", async (profile, header, text) => {
    await using servers = await startServers({ profile });
    const portOf = (api: "target" | "query") => Number(new URL(servers.urls[api]).port);
    for (const path of [STANDARD, ADVANCED]) {
      for (const length of LENGTHS) {
        const connection = await RawConnection.open(portOf("target"));
        const got = await connection
          .write(`POST ${path} HTTP/1.1\r\nContent-Length: ${length}\r\n\r\n`)
          .rest();
        connection.close();
        expect(got).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
        expect(got).toContain(`\r\n${header}\r\n`);
        expect(got).toContain(text);
        expect(got).toContain("\r\nConnection: close\r\n");
        expect(servers.requests.at(-1)).toMatchObject(entry);
      }
    }
    const connection = await RawConnection.open(portOf("query"));
    const elsewhere = await connection.write(`POST ${STANDARD} HTTP/1.1\r\nContent-Length: x\r\n\r\n`).rest();
    expect(elsewhere).not.toContain("must be an integer");
    connection.close();
  });
});

import { authorizationHeader } from "mock-cloud-reco";
import { expect, test } from "vitest";
import { type Environment, start } from "../cli/command.ts";
import { MockSession } from "../support/mock-session.ts";
import { RawConnection } from "./raw-connection.ts";

const NOW = "2026-11-21T10:42:00.123Z";

/**
 * What `serve` logs of requests: one is served, one is refused, one gets 502, one gets no response, and the path of one
 * would control the terminal.
 */
async function logged(environment: Environment = {}, isTerminal = false): Promise<readonly string[]> {
  const command = start(["serve", "--json"], environment, { isTerminal });
  const { urls, database } = JSON.parse(await command.printed());
  const manage = (route: string, method: string, body: object) =>
    fetch(urls.manager + route, { method, body: JSON.stringify(body) });
  await manage("/clock", "PUT", { now: NOW, frozen: true });

  const date = new Date(NOW).toUTCString();
  const { server_access_key: accessKey, server_secret_key: secretKey } = database;
  const signed = authorizationHeader({ accessKey, secretKey, method: "GET", path: "/summary", date });
  await fetch(`${urls.target}/summary`, { headers: { Date: date, Authorization: signed } });
  await fetch(`${urls.target}/summary`);
  await manage("/faults", "POST", { operation: "databaseSummary", response: { status: 502 } });
  await fetch(`${urls.target}/summary`);
  await manage("/faults", "POST", { operation: "databaseSummary", reset_connection: true });
  await expect(fetch(`${urls.target}/summary`)).rejects.toThrow("fetch failed");
  const connection = await RawConnection.open(Number(new URL(urls.target).port));
  await connection.write("GET /\u009b[2J HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").rest();
  const lines = (await command.stop()).complained.split(/(?<=\n)/);
  return lines.filter((line) => /\bGET\b/.test(line));
}

test("a line is JSON, and says why a request was refused", async () => {
  const lines = await logged();
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      time: NOW,
      level: "info",
      server: "target-api",
      operation: "databaseSummary",
      method: "GET",
      path: "/summary",
      status: 200,
      resultCode: "Success",
      database: "database-1",
      durationMs: expect.any(Number),
    },
    expect.objectContaining({
      level: "warn",
      status: 401,
      refusedBy: expect.stringMatching(/^\w+$/),
      reason: expect.stringContaining("send an Authorization header"),
    }),
    expect.objectContaining({ level: "error", status: 502, reason: "answered with 502" }),
    expect.objectContaining({ level: "error", fault: "addFault", reason: "the connection was reset" }),
    expect.objectContaining({ level: "warn", status: 400, refusedBy: "http", path: "/\u009b[2J" }),
  ]);
  for (const line of lines) expect(line).toMatch(/^\P{Cc}*"durationMs":\d+(\.\d)?\}\n$/u);
});

test("the level selects which requests have a line", async () => {
  const counts = [];
  for (const level of ["silent", "error", "warn", "info"])
    counts.push((await logged({ MOCK_CLOUD_RECO_LOG_LEVEL: level })).length);
  expect(counts).toEqual([0, 2, 4, 5]);
});

test("a readable line has the time, the request, its result and the reason; nothing in it controls the terminal", async () => {
  const [served, refused, failed, unanswered, malformed] = await logged({
    MOCK_CLOUD_RECO_LOG_FORMAT: "text",
  });
  expect(served).toBe("10:42:00 GET     /summary 200 Success\n");
  expect(refused).toMatch(
    /^10:42:00 GET {5}\/summary 401 AuthenticationFailure {2}\w+: send an Authorization header: /,
  );
  expect(failed).toBe("10:42:00 GET     /summary 502  fault addFault: answered with 502\n");
  expect(unanswered).toBe(
    "10:42:00 GET     /summary no response  fault addFault: the connection was reset\n",
  );
  expect(malformed).toBe("10:42:00 GET     /\\u009b[2J 400  http: malformed HTTP/1.1 request\n");
});

test("on a terminal, colours show at a glance what was refused and what failed", async () => {
  const colours = (await logged({}, true)).map(
    (line) => line.split("\u001b[").map((part) => part.split("m")[0])[3],
  );
  expect(colours).toEqual(["32", "33", "31", "31", "33"]);
});

test.each(["info", "warn"])(
  "at level %s, gzip that no client asked for is told once, with the option that the command reads",
  async (level) => {
    const command = start(["serve", "--json", "--log-level", level]);
    const { urls, database } = JSON.parse(await command.printed());
    const keys = {
      databaseName: database.database_name,
      databaseId: database.database_id,
      serverAccessKey: database.server_access_key,
      serverSecretKey: database.server_secret_key,
      clientAccessKey: database.client_access_key,
      clientSecretKey: database.client_secret_key,
    };
    const session = new MockSession({ urls }, keys);
    for (let count = 0; count < 3; count += 1)
      expect((await session.query()).headers["content-encoding"]).toBe("gzip");
    const answer = await fetch(`${urls.manager}/requests`);
    const { requests } = (await answer.json()) as { requests: { cause?: { code: string } | null }[] };
    const codes = requests.map(({ cause }) => cause?.code ?? "none");
    expect(codes).toEqual(["gzip.unasked", "none", "none"]);
    const lines = (await command.stop()).complained
      .split("\n")
      .filter((line) => line.includes("this is said once"));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        level: "warn",
        message:
          "POST /v1/query: decode the response, or set --query-content-encoding or MOCK_CLOUD_RECO_QUERY_CONTENT_ENCODING to " +
          "identity: it is gzip-encoded although the request does not accept gzip (this is said once)",
      },
    ]);
  },
);

import { spawn } from "node:child_process";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { startServers } from "mock-cloud-reco/server";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { run } from "../../src/cli/run.ts";
import { FACTS } from "../../src/verify/plan.ts";
import { start } from "../cli/command.ts";
import { useBundle } from "../support/use-bundle.ts";

const main = useBundle();

const KEYS = {
  SERVER_ACCESS_KEY: "access",
  SERVER_SECRET_KEY: "server secret/key",
  CLIENT_ACCESS_KEY: "client",
  CLIENT_SECRET_KEY: "client secret+key",
  MODEL_TARGET_CLIENT_ID: "client-id",
  MODEL_TARGET_CLIENT_SECRET: "m0del target/s&cret",
  MODEL_TARGET_USERNAME: "user@example.com",
  MODEL_TARGET_PASSWORD: "p@ss word&more",
};

/** Runs something with the URL of a service of its own. */
async function at<Result>(server: Server, use: (url: string) => Promise<Result>): Promise<Result> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket.on("error", () => {})));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}
const http = (listener: RequestListener): Server => createHttpServer(listener);
const argumentsFor = (url: string, ...args: readonly string[]) => [
  ...["verify", "--target-url", url, "--query-url", url],
  ...args,
];
const verify = (url: string, ...args: readonly string[]) => start(argumentsFor(url, ...args), KEYS).finished;

/** Sent on a socket, because no client library would. */
const MALFORMED = "query-0-a-content-length-that-is-not-an-integer";
const atAny = (answer: (socket: Socket) => void): Server =>
  createServer((socket) => void socket.once("data", () => answer(socket)));
/** A service that refuses every request but that one. */
const atMalformed = (answer: (socket: Socket) => void): Server =>
  createServer({ allowHalfOpen: true }, (socket) => {
    socket.once("data", (data) => {
      if (data.includes("Content-Length: 0x10")) answer(socket);
      else socket.end("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
    });
  });

/** For timers, each turn of the event loop takes a millisecond, however busy the machine is: some turns answer a request. */
function countTimeInTurns(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const turn = () => {
    if (!vi.isFakeTimers()) return;
    vi.advanceTimersByTime(1);
    setImmediate(turn);
  };
  turn();
}

const SOME = ["--only", "target-3-*,target-4-*,query-3-*,model-target-token-no-*"];
const COUNTS = /^all +(\d+) +(\d+) +(\d+)$/m;
const counts = (printed: string) => COUNTS.exec(printed)?.slice(1).map(Number);

describe("verify at a service", () => {
  test("that answers everything with an empty 200 reports a difference for each fact", async () => {
    const { code, printed } = await at(
      http((_request, response) => response.end()),
      (url) => verify(url, ...SOME),
    );
    expect(code).toBe(1);
    expect(counts(printed)).toEqual([0, 9, 0]);
  });

  test("that is not there says so, and the exit code is 1", async () => {
    const { code, printed } = await verify("http://127.0.0.1:1", ...SOME);
    expect(code).toBe(1);
    expect(counts(printed)).toEqual([0, 0, 9]);
    expect(printed).toMatch(/NOT TRIED {2}9: the service never answered: .*ECONNREFUSED/);
  });

  test("that never answers is given up in time", async () => {
    countTimeInTurns();
    const { code, printed } = await at(
      createServer(() => {}),
      (url) => verify(url, "--only", "target-3-no-authorization", "--timeout-seconds", "5"),
    );
    expect(code).toBe(1);
    expect(printed).toContain("the service never answered: timeout: no complete response in 5 s");
  });

  test("that does not answer what no client library sends is given up in time", async () => {
    countTimeInTurns();
    const { code, printed } = await at(
      atMalformed(() => {}),
      (url) => verify(url, "--only", MALFORMED, "--timeout-seconds", "5"),
    );
    expect(code).toBe(1);
    expect(printed).toContain("no response: timeout: no complete response in 5 s");
  });

  test.each([
    ["target-3-no-authorization", "the service never answered", atAny],
    [MALFORMED, "no response", atMalformed],
  ] as const)("whose response has no end is given up after 16 MiB (%s)", async (only, what, serverOf) => {
    let sent = 0;
    const chunk = Buffer.alloc(64 * 1024, "x");
    const endless = serverOf((socket) => {
      const write = () => {
        while (!socket.destroyed && socket.write(chunk)) sent += chunk.length;
      };
      socket.write("HTTP/1.1 200 OK\r\n\r\n", write);
      socket.on("drain", write);
    });
    const { code, printed } = await at(endless, (url) => verify(url, "--only", only));
    expect(code).toBe(1);
    expect(printed).toContain(`${what}: the response is longer than 16 MiB`);
    // Three attempts, and what lies in buffers.
    expect(sent).toBeLessThan(100 * 1024 * 1024);
  });

  test("that ends its side after a malformed Content-Length is reported, in a process of its own", async () => {
    const halfClosing = atMalformed((socket) => socket.end());
    const { code, printed } = await at(halfClosing, (url) =>
      inProcess(argumentsFor(url, "--only", `target-3-*,${MALFORMED}`)),
    );
    expect(printed).toContain("the connection was closed before a complete response");
    expect({ code, counts: counts(printed) }).toEqual({ code: 1, counts: [0, 1, 1] });
  });

  test("that sends everything back gets no secret into a report, in no form", async () => {
    const echo = http((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = Buffer.concat(chunks).toString();
        const authorization = request.headers.authorization ?? "";
        response.setHeader("X-Echo", `${authorization} q=${encodeURIComponent(authorization)}`);
        response.end(`${JSON.stringify({ authorization, body })} ${authorization.replaceAll("/", "\\/")}`);
      });
    });
    const only = "model-target-token-*,model-target-password-*,target-3-*";
    await at(echo, async (url) => {
      for (const form of [[], ["--json"], ["--junit"], ["--markdown"]]) {
        const { code, printed } = await verify(url, "--only", only, ...form);
        expect(code).toBe(1);
        expect(printed).toContain("‹hidden›");
        expect(leaks(printed)).toEqual([]);
      }
    });
  });

  test("that answers by another profile is told by its headers, and nothing is compared unless asked for", async () => {
    await using servers = await startServers();
    const database = servers.addCloudDatabase();
    const keys = { SERVER_ACCESS_KEY: database.serverAccessKey, SERVER_SECRET_KEY: database.serverSecretKey };
    const run = (...args: readonly string[]) =>
      start(["verify", "--target-url", servers.urls.target, "--only", "target-3-*", ...args], keys).finished;
    const unasked = await run();
    expect(unasked.code).toBe(1);
    expect(unasked.printed).toMatch(
      /^The service answers as the profile neutral says \(.*\): try --profile neutral\n/,
    );
    expect(counts(unasked.printed)).toEqual([0, 0, 1]);
    const asked = await run("--profile", "vuforia");
    expect(asked.printed).toContain("try --profile neutral");
    expect(counts(asked.printed)).toEqual([0, 1, 0]);
    expect(await run("--profile", "neutral")).toMatchObject({
      code: 0,
      printed: expect.not.stringContaining("try"),
    });
  });

  test("that is waited for is said to be on a terminal", async () => {
    const shown: string[] = [];
    await at(
      createServer(() => {}),
      (url) =>
        run(argumentsFor(url, "--only", "target-3-*", "--timeout-seconds", "2.5"), {
          environment: KEYS,
          print: () => {},
          complain: () => {},
          showProgress: (text) => shown.push(text),
          openBrowser: () => {},
          stopRequested: () => new Promise(() => {}),
        }),
    );
    expect(shown).toContainEqual(expect.stringContaining("0 of 1 facts: asking which profile this is"));
  });

  test.each(["SIGINT", "SIGTERM"] as const)("ends with a report after one %s", async (signal) => {
    let connected = () => {};
    const underWay = new Promise<void>((resolve) => {
      connected = resolve;
    });
    const { code, printed } = await at(
      createServer(() => connected()),
      (url) => inProcess(argumentsFor(url, "--write"), { signal, when: underWay }),
    );
    // The response would be waited for for half a minute, and one request after the other.
    expect({ code, counts: counts(printed) }).toEqual({ code: 1, counts: [0, 0, FACTS.length] });
    expect(printed).toContain("stopped before");
    expect(printed).toContain("--ids FILE writes the ids of all facts to a file.");
  });
});

/** Secrets in a text: as they are, or encoded as clients send them. */
function leaks(text: string): string[] {
  const { MODEL_TARGET_CLIENT_SECRET: secret, MODEL_TARGET_PASSWORD: password } = KEYS;
  const basic = Buffer.from(`${KEYS.MODEL_TARGET_CLIENT_ID}:${secret}`).toString("base64");
  const colon = Buffer.from(`${KEYS.MODEL_TARGET_CLIENT_ID}:${secret}:`).toString("base64");
  const encoded = [secret, password, basic, colon].flatMap((one) => [
    ...[one, encodeURIComponent(one), JSON.stringify(one).slice(1, -1), one.replaceAll("/", "\\/")],
    new URLSearchParams({ q: one }).toString().slice(2),
  ]);
  return encoded.filter((form) => text.includes(form));
}

/** Runs the command in a process of its own, and sends it a signal. */
function inProcess(
  args: readonly string[],
  stop?: { readonly signal: NodeJS.Signals; readonly when: Promise<void> },
): Promise<{ code: number | null; printed: string }> {
  const child = spawn(process.execPath, [main(), ...args], { env: { ...process.env, ...KEYS } });
  let printed = "";
  child.stdout.on("data", (data) => {
    printed += data;
  });
  void stop?.when.then(() => child.kill(stop.signal));
  return new Promise((resolve) => {
    child.on("close", (code) => resolve({ code, printed }));
  });
}

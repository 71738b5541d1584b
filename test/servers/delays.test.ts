import { once } from "node:events";
import type { MockCloudRecoOptions } from "mock-cloud-reco";
import { describe, expect, onTestFinished, test } from "vitest";
import { manage } from "../support/answers.ts";
import { reached } from "../support/reached.ts";
import { startJoinedServers, startSeparateServers } from "../support/separate-servers.ts";
import { RawConnection } from "./raw-connection.ts";
import { optionsWith } from "./three.ts";

const SLOW = { operation: "databaseSummary", delay_seconds: 600 };
const SUMMARY = "GET /summary HTTP/1.1\r\n\r\n";

interface Delay {
  readonly seconds: number;
  readonly signal: AbortSignal;
}

const WAYS = { "one process": startJoinedServers, "processes of their own": startSeparateServers };

describe.each(Object.entries(WAYS))("servers in %s", (_name, start) => {
  /** Servers whose delays end only when something ends them. */
  const open = async (more: MockCloudRecoOptions = {}, maxRequests = 1000) => {
    const delays: Delay[] = [];
    const delay = (seconds: number, signal: AbortSignal) =>
      new Promise<void>(() => {
        delays.push({ seconds, signal });
      });
    const options = optionsWith({ responseDelaySeconds: 0, delay, ...more });
    const manager = { host: "127.0.0.1", port: 0 };
    const listen = { ...manager, maxRequests };
    const servers = await start({
      listen: { manager, target: listen, query: listen },
      options,
    });
    onTestFinished(() => servers.close(0));
    const service = reached(servers.target.url, servers.query.url, servers.manager.url);
    const control = (method: string, path: string, body?: unknown) => manage(service, method, path, body);
    return {
      control,
      delays,
      connect: async (bytes = SUMMARY) => {
        const connection = await RawConnection.open(servers.target.port);
        onTestFinished(() => connection.close());
        return connection.write(bytes);
      },
      addFault: async (fault: object = SLOW) => (await control("POST", "/faults", fault)).fields.id,
      status: async (path: string) => (await fetch(servers.target.url + path)).status,
      /** Resolves when that many delays have begun, in total. */
      begun: async (count: number) => {
        while (delays.length < count) await new Promise(setImmediate);
        return delays.at(count - 1);
      },
    };
  };

  test.each(["closed", "reset"])("give the place of a %s connection to others", async (end) => {
    const { addFault, connect, delays, status, begun } = await open({}, 2);
    await addFault();
    const waiting = [await connect(), await connect()];
    await begun(2);
    expect(await status("/targets")).toBe(503);
    for (const { socket } of waiting) {
      if (end === "reset") socket.resetAndDestroy();
      else socket.destroy();
    }
    while (delays.some(({ signal }) => !signal.aborted)) await new Promise(setImmediate);
    while ((await status("/targets")) === 503);
    expect(await status("/targets")).toBe(401);
  });

  test("keep the place of a client that ended only its side, until it has its response", async () => {
    const { addFault, connect, control, delays, status, begun } = await open({}, 1);
    const id = await addFault();
    const connection = (await connect()).halfClose();
    await begun(1);
    await once(connection.socket, "data");
    expect([await status("/targets"), delays.map(({ signal }) => signal.aborted)]).toEqual([503, [false]]);
    await control("DELETE", `/faults/${id}`);
    expect(await connection.rest()).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n.*\r\n\r\n.+$/s);
  });

  test("end the delay of a malformed request whose client is gone", async () => {
    const { connect, begun } = await open({ responseDelaySeconds: 600 });
    for (const bytes of ["no request\r\n\r\n", "GET /summary HTTP/1.1\r\nContent-Length: x\r\n\r\n"]) {
      const { socket } = await connect(bytes);
      const delay = await begun(bytes.startsWith("no") ? 1 : 2);
      socket.destroy();
      while (delay?.signal.aborted === false) await new Promise(setImmediate);
    }
  });

  test("end the delays of a fault that is deleted, and the configured ones go on", async () => {
    const { addFault, connect, control, delays, begun } = await open({ responseDelaySeconds: 5 });
    const id = await addFault({ ...SLOW, times: 1 });
    await connect();
    await begun(1);
    expect((await control("DELETE", `/faults/${id}`)).status).toBe(404);
    expect((await control("POST", "/reset")).status).toBe(200);
    expect(delays.map(({ seconds, signal }) => [seconds, signal.aborted])).toEqual([[5, false]]);
  });

  test("answer what a fault delays when it is deleted, not what others delay", async () => {
    const { addFault, connect, control, delays, begun } = await open();
    const id = await addFault();
    const other = await addFault({ ...SLOW, operation: "listTargets", times: 1 });
    const first = await connect();
    await begun(1);
    const second = await connect("GET /targets HTTP/1.1\r\n\r\n");
    await begun(2);
    await control("POST", "/clock/advance", { seconds: 1e6 });
    await control("DELETE", "/clock");
    expect(delays.map(({ signal }) => signal.aborted)).toEqual([false, false]);
    expect((await control("DELETE", `/faults/${id}`)).status).toBe(204);
    expect(await first.response()).toMatch(/^HTTP\/1\.1 401 /);
    expect(delays.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    // It was used up.
    expect((await control("DELETE", `/faults/${other}`)).status).toBe(404);
    expect(await second.response()).toMatch(/^HTTP\/1\.1 401 /);
  });

  test("answer what faults delay when everything is reset", async () => {
    const { addFault, connect, control, begun } = await open();
    await addFault();
    await addFault({ ...SLOW, times: 1 });
    const connections = [await connect(), await connect()];
    await begun(2);
    await control("POST", "/reset");
    for (const connection of connections) expect(await connection.response()).toMatch(/^HTTP\/1\.1 401 /);
  });
});

import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { delaying, SLOW, WAYS } from "./delaying.ts";

describe.each(Object.entries(WAYS))("servers in %s", (_name, start) => {
  test.each(["closed", "reset"])("give the place of a %s connection to others", async (end) => {
    const { addFault, connect, delays, status, begun } = await delaying(start, {}, { api: 2, manager: 2 });
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
    const { addFault, connect, control, delays, status, begun } = await delaying(
      start,
      {},
      { api: 1, manager: 1 },
    );
    const id = await addFault();
    const connection = (await connect()).halfClose();
    await begun(1);
    await once(connection.socket, "data");
    expect([await status("/targets"), delays.map(({ signal }) => signal.aborted)]).toEqual([503, [false]]);
    await control("DELETE", `/faults/${id}`);
    expect(await connection.rest()).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n.*\r\n\r\n.+$/s);
  });

  test("end the delay of a malformed request whose client is gone", async () => {
    const { connect, begun } = await delaying(start, { responseDelaySeconds: 600 });
    for (const bytes of ["no request\r\n\r\n", "GET /summary HTTP/1.1\r\nContent-Length: x\r\n\r\n"]) {
      const { socket } = await connect(bytes);
      const delay = await begun(bytes.startsWith("no") ? 1 : 2);
      socket.destroy();
      while (delay?.signal.aborted === false) await new Promise(setImmediate);
    }
  });

  test("end the delays of a fault that is deleted, and the configured ones go on", async () => {
    const { addFault, connect, control, delays, begun } = await delaying(start, { responseDelaySeconds: 5 });
    const id = await addFault({ ...SLOW, times: 1 });
    await connect();
    await begun(1);
    expect((await control("DELETE", `/faults/${id}`)).status).toBe(404);
    expect((await control("POST", "/reset")).status).toBe(200);
    expect(delays.map(({ seconds, signal }) => [seconds, signal.aborted])).toEqual([[5, false]]);
  });

  test("answer what a fault delays when it is deleted, not what others delay", async () => {
    const { addFault, connect, control, delays, begun } = await delaying(start);
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
    const { addFault, connect, control, begun } = await delaying(start);
    await addFault();
    await addFault({ ...SLOW, times: 1 });
    const connections = [await connect(), await connect()];
    await begun(2);
    await control("POST", "/reset");
    for (const connection of connections) expect(await connection.response()).toMatch(/^HTTP\/1\.1 401 /);
  });
});

import { startServers } from "mock-cloud-reco/server";
import { afterEach, expect, it, vi } from "vitest";
import { PROFILE_NAMES } from "../../src/core/emulator/profiles.ts";
import { realTimers } from "../../src/core/general/real-timers.ts";
import { HttpServer } from "../../src/core/http/http-server.ts";
import { MemoryStore } from "../../src/core/store/memory-store.ts";
import { adviceOf } from "../../src/servers/advice.ts";
import { resolveServerOptions } from "../../src/servers/server-options.ts";
import { noClientSince, warmUp } from "../../src/servers/warm-up.ts";
import { start } from "../cli/command.ts";

afterEach(() => vi.restoreAllMocks());

it.each(PROFILE_NAMES)("requests that warm servers up succeed under the profile %s", async (profile) => {
  const options = { profile, responseDelaySeconds: 60, requestsPerSecondLimit: 1 };
  const resolved = resolveServerOptions(options, adviceOf("startServers"));
  expect(await warmUp(resolved, noClientSince())).toBe(30);
  // Several at once.
  expect(await warmUp(resolved, noClientSince(), 31, 10)).toBe(31);
  expect(await warmUp(resolved, noClientSince(), 12, 5)).toBe(12);
});

it("a request that fails ends the warm-up", async () => {
  // No database is added, so that its keys are unknown.
  vi.spyOn(MemoryStore.prototype, "run").mockResolvedValue(undefined);
  const resolved = resolveServerOptions({}, adviceOf("startServers"));
  await expect(warmUp(resolved, noClientSince(), 12, 5)).rejects.toThrow(
    "the servers answered: HTTP/1.1 400 ",
  );
});

/** The timers that begin to warm up. */
const warmUpTimers = (timers: ReturnType<typeof spyOnTimers>) =>
  timers.mock.results
    .filter((_, call) => timers.mock.calls[call]?.[1] === 20)
    .map(({ value }) => value.hasRef());
const spyOnTimers = () => vi.spyOn(realTimers, "setTimeout");

it("serve warms up once, in a timer that keeps no process alive", async () => {
  const timers = spyOnTimers();
  const serving = start(["serve", "--json"]);
  await serving.printed();
  await vi.waitFor(() => expect(warmUpTimers(timers)).toEqual([false]));
  await serving.stop();
  expect(warmUpTimers(timers)).toEqual([false]);
});

it("serve warms up before it prints, and shows nothing of it", async () => {
  const adopt = vi.spyOn(HttpServer.prototype, "adopt");
  const serving = start(["serve", "--json", "--log-level", "info"]);
  const { urls } = JSON.parse(await serving.printed());
  expect(adopt).toHaveBeenCalledTimes(1);
  const requests = await (await fetch(`${urls.manager}/requests`)).json();
  await serving.stop();
  expect(requests).toMatchObject({ requests: [] });
});

it("exec warms up while its command starts", async () => {
  const timers = spyOnTimers();
  await start(["exec", "--", process.execPath, "--eval", ""]).finished;
  expect(warmUpTimers(timers)).toEqual([false]);
});

it.each(["closes", "is not answered"])(
  "serve starts although the connection of the warm-up %s",
  async (how) => {
    const adopt = vi.spyOn(HttpServer.prototype, "adopt").mockImplementation((socket) => {
      if (how === "closes") socket.destroy();
      else socket.resume().once("end", () => socket.end());
    });
    const serving = start(["serve", "--json"]);
    expect(await serving.printed()).toMatch(/^\{/);
    expect(adopt).toHaveBeenCalledTimes(1);
    expect(await serving.stop()).toMatchObject({ code: 0, complained: "" });
  },
);

it("a client that connects is not kept waiting: no further request warms up", async () => {
  await using servers = await startServers();
  const hasNoClient = noClientSince();
  await fetch(servers.urls.target);
  expect(await warmUp(resolveServerOptions({}, adviceOf("startServers")), hasNoClient)).toBe(0);
});

it("servers of a test do not warm up, and what does shows nothing of it", async () => {
  const timers = spyOnTimers();
  const lines: string[] = [];
  await using servers = await startServers({ logLevel: "info" }, (line) => lines.push(line));
  expect(warmUpTimers(timers)).toEqual([]);
  await warmUp(resolveServerOptions({}, adviceOf("startServers")), noClientSince());
  expect({ requests: servers.requests, lines }).toEqual({ requests: [], lines: [] });
});

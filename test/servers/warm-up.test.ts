import { startServers } from "mock-cloud-reco/server";
import { afterEach, expect, it, vi } from "vitest";
import { PROFILE_NAMES } from "../../src/core/emulator/profiles.ts";
import { realTimers } from "../../src/core/general/real-timers.ts";
import { adviceOf } from "../../src/servers/advice.ts";
import { resolveServerOptions } from "../../src/servers/server-options.ts";
import { noClientSince, warmUp } from "../../src/servers/warm-up.ts";
import { start } from "../cli/command.ts";

afterEach(() => vi.restoreAllMocks());

it.each(PROFILE_NAMES)("requests that warm servers up succeed under the profile %s", async (profile) => {
  const options = { profile, responseDelaySeconds: 60, requestsPerSecondLimit: 1 };
  expect(await warmUp(resolveServerOptions(options, adviceOf("startServers")), noClientSince())).toBe(30);
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

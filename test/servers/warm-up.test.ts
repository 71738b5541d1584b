import { startServers } from "mock-cloud-reco/server";
import { afterEach, expect, it, vi } from "vitest";
import { PROFILE_NAMES } from "../../src/core/emulator/profiles.ts";
import { realTimers } from "../../src/core/general/real-timers.ts";
import { adviceOf } from "../../src/servers/advice.ts";
import { resolveServerOptions } from "../../src/servers/server-options.ts";
import { warmUp } from "../../src/servers/warm-up.ts";

afterEach(() => vi.restoreAllMocks());

it.each(PROFILE_NAMES)("requests that warm servers up succeed under the profile %s", async (profile) => {
  const options = { profile, responseDelaySeconds: 60, requestsPerSecondLimit: 1 };
  await warmUp(resolveServerOptions(options, adviceOf("startServers")));
});

it("started servers warm up once, in a timer that keeps no process alive, and show nothing of it", async () => {
  const timers = vi.spyOn(realTimers, "setTimeout");
  const lines: string[] = [];
  await using servers = await startServers({ logLevel: "info" }, (line) => lines.push(line));
  const results = timers.mock.results.filter((_, call) => timers.mock.calls[call]?.[1] === 20);
  expect(results.map(({ value }) => value.hasRef())).toEqual([false]);
  await warmUp(resolveServerOptions({}, adviceOf("startServers")));
  expect({ requests: servers.requests, lines }).toEqual({ requests: [], lines: [] });
});

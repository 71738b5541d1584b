import type { MockCloudRecoOptions } from "mock-cloud-reco";
import { afterEach, beforeEach } from "vitest";
import { type ResolvedOptions, resolveOptions } from "../../src/options/options.ts";
import { reached } from "../support/reached.ts";
import { type SeparateServers, startSeparateServers } from "../support/separate-servers.ts";

/** With a short idle limit, so that no test waits long. */
export const listen = { host: "127.0.0.1", port: 0, limits: { idleMilliseconds: 50, maxBytes: 100_000 } };
export const keys = { serverAccessKey: "access", serverSecretKey: "secret" };
export const named = { database_name: "shop", server_access_key: "access", server_secret_key: "secret" };

export let servers: SeparateServers;
export let waits: number[];

export const service = () => reached(servers.target.url, servers.query.url, servers.manager.url);

export const optionsWith =
  (more: MockCloudRecoOptions) =>
  (targetUrl: string): ResolvedOptions =>
    resolveOptions({
      targetUrl,
      responseDelaySeconds: 0.5,
      delay: async (seconds) => {
        waits.push(seconds);
      },
      ...more,
    });

export const options = optionsWith({});

/** Starts three servers for each test of the file. */
export function startForEach(): void {
  beforeEach(async () => {
    waits = [];
    servers = await startSeparateServers({
      listen: { manager: listen, target: listen, query: listen },
      options,
    });
  });
  afterEach(() => servers.close(0));
}

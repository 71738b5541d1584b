import type { MockCloudRecoOptions } from "mock-cloud-reco";
import { onTestFinished } from "vitest";
import { manage } from "../support/answers.ts";
import { reached } from "../support/reached.ts";
import { startJoinedServers, startSeparateServers } from "../support/separate-servers.ts";
import { RawConnection } from "./raw-connection.ts";
import { optionsWith } from "./three-servers.ts";

export const SLOW = { operation: "databaseSummary", delay_seconds: 600 };
export const SUMMARY = "GET /summary HTTP/1.1\r\n\r\n";

interface Delay {
  readonly seconds: number;
  readonly signal: AbortSignal;
}

export const WAYS = { "one process": startJoinedServers, "processes of their own": startSeparateServers };

/** Servers whose delays end only when something ends them. */
export async function delaying(
  start: (typeof WAYS)[keyof typeof WAYS],
  more: MockCloudRecoOptions = {},
  limits: Readonly<Partial<Record<"api" | "manager", number>>> = {},
) {
  const delays: Delay[] = [];
  const delay = (seconds: number, signal: AbortSignal) =>
    new Promise<void>(() => {
      delays.push({ seconds, signal });
    });
  const options = optionsWith({ responseDelaySeconds: 0, delay, ...more });
  const listen = (maxRequests = 1000) => ({ host: "127.0.0.1", port: 0, maxRequests });
  const api = listen(limits.api);
  const servers = await start({
    listen: { manager: listen(limits.manager), target: api, query: api },
    options,
  });
  onTestFinished(() => servers.close(0));
  const service = reached(servers.target.url, servers.query.url, servers.manager.url);
  const control = (method: string, path: string, body?: unknown) => manage(service, method, path, body);
  return {
    servers,
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
}

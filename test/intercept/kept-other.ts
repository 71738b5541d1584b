import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";
import { MockCloudReco, type MockCloudRecoOptions, type UnhandledRequests } from "mock-cloud-reco";
import { beforeAll, onTestFinished } from "vitest";
import { failureOf, messagesOf } from "./failures.ts";

const REGISTERED = "the default, with register first";

export const MODES: Readonly<Record<string, MockCloudRecoOptions>> = {
  "the default": {},
  nock: { intercept: "nock" },
  sockets: { intercept: "sockets" },
  // The last one, because it stays loaded.
  [REGISTERED]: {},
};

/** Loads `mock-cloud-reco/register` for the tests of that mode, before their clients open connections. */
export function registerFor(mode: string): void {
  beforeAll(async () => {
    if (mode === REGISTERED) await import("mock-cloud-reco/register");
  });
}

/** Values of the option that block `blocked.example`, but not `localhost`. */
export const PARTLY: Readonly<Record<string, UnhandledRequests>> = {
  "error-except-loopback": "error-except-loopback",
  "a list": [/^localhost:\d+$/],
  "a function": (host) => host.startsWith("localhost:"),
};

/** Values that block `blocked.example`. */
export const POLICIES: Readonly<Record<string, UnhandledRequests>> = { error: "error", ...PARTLY };

/** Starts a mock until the test has finished. */
export function started(options: MockCloudRecoOptions): MockCloudReco {
  const mock = new MockCloudReco(options);
  onTestFinished(() => mock.stop());
  return mock;
}

/** What the error of a refused request says. */
export const refusalOf = async (sent: Promise<unknown>) => messagesOf(await failureOf(sent)).join("; ");

export const blocked = (method: string, url: string) =>
  `${method} ${url}: no mock serves this host, and the option unhandledRequests blocks the request`;

/** Destroys it when the test has finished. */
export function kept<Kept extends { destroy(): unknown }>(closable: Kept): Kept {
  onTestFinished(() => {
    closable.destroy();
  });
  return closable;
}

/** Starts a server on this machine until the test has finished. Returns its port. */
export async function portOf(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket)).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(server, "listening");
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

import type { Duplex } from "node:stream";
import type { Result, WireResponse } from "../../core/emulator/message.ts";
import { realTimers } from "../../core/general/real-timers.ts";
import { HttpServer } from "../../core/http/http-server.ts";
import { socketError, stoppedError } from "../errors.ts";
import type { HostTable } from "../host-table.ts";
import type { OtherHosts } from "../unhandled-requests.ts";
import { MemorySocket } from "./memory-socket.ts";

/**
 * How long a client may stop within a request: an answer comes within a second, and for a client known to send more, within test
 * runners' 5 s. Nothing delays bytes in memory.
 */
const IDLE_MILLISECONDS = 800;

/**
 * Milliseconds from the opening of a connection to its request. The first time, undici loads its parser in between.
 */
const FIRST_REQUEST_WITHIN = 1000;

interface OriginServer {
  readonly http: HttpServer;
  readonly connections: Set<MemorySocket>;
}

/** The HTTP servers that answer connections in memory, one for each origin. */
export class OriginServers {
  private readonly servers = new Map<string, OriginServer>();

  /** @param currentHosts - the hosts of the mocks that are started in this process when called. */
  constructor(
    private readonly hosts: HostTable,
    private readonly others: OtherHosts,
    private readonly currentHosts: () => HostTable | undefined,
  ) {}

  accept(origin: string, socket: MemorySocket): void {
    const { http, connections } = this.serverOf(origin);
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
    http.accept(socket);
  }

  /** Closes idle connections to unserved origins. Busy ones stay open for the next mock. */
  closeIdle(origins: readonly string[]): void {
    for (const origin of origins) {
      const server = this.servers.get(origin);
      if (server === undefined) continue;
      this.servers.delete(origin);
      const close = (unusedToo: boolean) => {
        for (const connection of server.connections) {
          const isIdle = connection.isQuiet && !server.http.isAnswering(connection);
          if (isIdle && (unusedToo || connection.hasReceived)) connection.destroy();
        }
      };
      close(false);
      // A connection whose response was just read becomes idle in this turn of the event loop.
      realTimers.setImmediate(close, false);
      if ([...server.connections].some(({ hasReceived }) => !hasReceived))
        realTimers.setTimeout(close, FIRST_REQUEST_WITHIN, true).unref();
    }
  }

  private serverOf(origin: string): OriginServer {
    const running = this.servers.get(origin);
    if (running !== undefined) return running;
    const http = new HttpServer(
      {
        answer: (request, socket) =>
          this.respond(origin, request, socket, (hosts) => hosts.answer({ origin, ...request })),
        answerMalformed: (why, head, socket) =>
          this.respond(origin, head, socket, (hosts) => hosts.answerMalformed(origin, why, head)),
      },
      {
        limits: { idleMilliseconds: IDLE_MILLISECONDS },
        isSending: (socket) => socket instanceof MemorySocket && socket.isPeerSending,
      },
    );
    const server = { http, connections: new Set<MemorySocket>() };
    this.servers.set(origin, server);
    return server;
  }

  /** Responds in the asynchronous context of the client. An error also fails the client's connection. */
  private async respond(
    origin: string,
    { method, path }: { readonly method: string; readonly path: string } = { method: "", path: "" },
    socket: Duplex,
    make: (hosts: HostTable) => Promise<WireResponse>,
  ): Promise<Result> {
    const connection = socket instanceof MemorySocket ? socket : undefined;
    const inContext = async () => {
      // A client may reuse a connection to a stopped mock.
      const hosts = [this.hosts, this.currentHosts()].find((table) => table?.has(origin));
      if (hosts !== undefined) return make(hosts);
      // Released servers are removed, so one that is still listed never served a mock.
      throw this.servers.has(origin)
        ? this.others.refusal(method, origin, path)
        : stoppedError(method, origin, path);
    };
    try {
      return { response: await (connection?.runAsPeer(inContext) ?? inContext()) };
    } catch (reason) {
      const error = socketError(reason);
      connection?.failPeer(error);
      return { connectionError: { kind: "refused", message: error.message } };
    }
  }
}

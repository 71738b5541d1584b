import { InternalApi } from "../../src/apis/internal/internal-api.ts";
import { MovableClock, systemClock } from "../../src/emulator/clock.ts";
import { Journal } from "../../src/emulator/journal.ts";
import type { WireRequest } from "../../src/emulator/message.ts";
import { HttpServer } from "../../src/servers/http/http-server.ts";
import { connectToManager } from "../../src/servers/manager-connection.ts";
import { ManagerClient } from "../../src/store/manager/manager-client.ts";
import { MemoryStore } from "../../src/store/memory-store.ts";
import { SharedStore } from "../../src/store/shared-store.ts";
import { assessByBytes } from "./contract-cases.ts";

/** A target manager's store behind a socket, and the requests that it received. */
export interface Backing {
  readonly memory: MemoryStore;
  /** A server's store; every call makes a new one that has read nothing yet. */
  connect(): SharedStore;
  /** Method, path up to the value, and status of every request. */
  readonly asked: string[];
  /** Bytes of all response bodies. */
  sent(): number;
  /** Stops the manager and closes its connections. */
  kill(): Promise<void>;
  /** A new manager at the same address, empty or with the old state. */
  restart(memory?: MemoryStore): Promise<void>;
  close(): Promise<void>;
}

export async function openBacking(): Promise<Backing> {
  const asked: string[] = [];
  let sent = 0;
  let runs = 0;
  const start = async (store: MemoryStore, port: number) => {
    runs += 1;
    const api = new InternalApi(store, new Journal(), new MovableClock(systemClock), `run${runs}`);
    const answer = async (request: WireRequest) => {
      const response = await api.answer(request);
      asked.push(`${request.method} ${request.path.split("/", 4).slice(2).join("/")} ${response.status}`);
      sent += response.body.length;
      return { response };
    };
    const server = new HttpServer({ answer, answerMalformed: () => Promise.reject(new Error("unused")) });
    return { server, port: await server.listen(port, "127.0.0.1") };
  };
  const memory = new MemoryStore(assessByBytes);
  let running = await start(memory, 0);
  const connections: { close(): void }[] = [];
  return {
    memory,
    asked,
    connect() {
      const connection = connectToManager(new URL(`http://127.0.0.1:${running.port}`));
      connections.push(connection);
      return new SharedStore(new ManagerClient(connection.exchange));
    },
    sent: () => sent,
    kill: () => running.server.kill(),
    async restart(store = new MemoryStore(assessByBytes)) {
      running = await start(store, running.port);
    },
    async close() {
      for (const connection of connections) connection.close();
      await running.server.kill();
    },
  };
}

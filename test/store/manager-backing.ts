import { systemClock } from "mock-cloud-reco";
import { MovableClock } from "../../src/emulator/clock.ts";
import { Faults } from "../../src/emulator/faults.ts";
import { Journal } from "../../src/emulator/journal.ts";
import type { WireRequest } from "../../src/emulator/message.ts";
import { createRandom } from "../../src/emulator/random.ts";
import { summaryOf } from "../../src/images/matching/ranking.ts";
import { HttpServer } from "../../src/servers/http/http-server.ts";
import { connectToManager } from "../../src/servers/manager-connection.ts";
import { ManagerClient } from "../../src/store/manager/manager-client.ts";
import { StateServer } from "../../src/store/manager/state-server.ts";
import { MemoryBacking } from "../../src/store/memory-backing.ts";
import { MemoryStore } from "../../src/store/memory-store.ts";
import { SharedStore } from "../../src/store/shared-store.ts";
import { assessByBytes } from "./contract-cases.ts";

/** A target manager's store behind a socket, and the requests that it received. */
export interface Backing {
  readonly memory: MemoryStore;
  readonly port: number;
  /** A server's store; every call makes a new one that has read nothing yet. */
  connect(): SharedStore;
  /** What every request asked for, and the status of its response. */
  readonly asked: string[];
  /** Bytes of all response bodies. */
  sent(): number;
  /** Stops the manager and closes its connections. */
  kill(): Promise<void>;
  /** A new manager at the same address, empty or with the old state. */
  restart(memory?: MemoryStore): Promise<void>;
  close(): Promise<void>;
}

export async function openBacking(memory = new MemoryStore(assessByBytes)): Promise<Backing> {
  const asked: string[] = [];
  let sent = 0;
  let runs = 0;
  const start = async (store: MemoryStore, port: number) => {
    runs += 1;
    const parts = {
      journal: new Journal(),
      clock: new MovableClock(systemClock),
      faults: new Faults([]),
      random: createRandom(),
    };
    const backing = new MemoryBacking(store, parts, `run${runs}`, summaryOf);
    const server = new StateServer(backing, `run${runs}`);
    const answer = async (request: WireRequest) => {
      const response = await server.answer(request);
      asked.push(`${request.path.slice("/internal/".length)} ${response.status}`);
      sent += response.body.length;
      return { response };
    };
    const http = new HttpServer({ answer, answerMalformed: () => Promise.reject(new Error("unused")) });
    return { server: http, port: await http.listen(port, "127.0.0.1") };
  };
  let running = await start(memory, 0);
  const connections: { close(): void }[] = [];
  return {
    memory,
    asked,
    port: running.port,
    connect() {
      const connection = connectToManager({ managerUrl: new URL(`http://127.0.0.1:${running.port}`) });
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

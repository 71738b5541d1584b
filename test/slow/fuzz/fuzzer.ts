import { authorizationHeader } from "mock-cloud-reco";
import { APIS } from "../../../src/core/apis/index.ts";
import { createRandom, type Random } from "../../../src/core/emulator/random.ts";
import { setImageCacheBytes } from "../../../src/core/images/cache-limit.ts";
import { sketches } from "../../../src/core/images/matching/ranking.ts";
import type { ApiName } from "../../../src/core/schema/protocol.ts";
import { resolveOptions } from "../../../src/options/options.ts";
import type { ThreeServers } from "../../../src/servers/launch.ts";
import { START } from "../../protocol/query/send.ts";
import { RawConnection } from "../../servers/raw-connection.ts";
import { collectGarbage } from "../../support/collect-garbage.ts";
import { makePng } from "../../support/png.ts";
import { goodPlan, imagePart, multipart } from "../../support/query-plan.ts";
import { startJoinedServers } from "../../support/separate-servers.ts";
import { mutate, mutateBytes, mutateValue, type RawRequest, rawMessage } from "./mutations.ts";

/** What is sent: requests of one API, bytes, snapshots, images. */
export const SUBJECTS = [
  "target",
  "query",
  "modelTarget",
  "manager",
  "bytes",
  "snapshots",
  "images",
] as const;
export type Subject = (typeof SUBJECTS)[number];

/** Real time within which everything has to be answered, on a machine that does much else. */
const LIMIT_MILLISECONDS = 20_000;
const KEYS = {
  server: { accessKey: "server", secretKey: "server-secret" },
  client: { accessKey: "client", secretKey: "client-secret" },
};
const DATABASE = {
  database_name: "fuzz",
  server_access_key: KEYS.server.accessKey,
  server_secret_key: KEYS.server.secretKey,
  client_access_key: KEYS.client.accessKey,
  client_secret_key: KEYS.client.secretKey,
};

/** Small and always the same: what is made of an image's bytes would take most of the time. */
const IMAGE = makePng({ width: 8, height: 8 });

/** What the paths of good requests name. */
const PARAMETERS: Readonly<Record<string, string>> = { database_name: "fuzz", file: "2026-11.csv" };

/** Three servers that are sent nonsense, and whether they stay well. */
export class Fuzzer implements AsyncDisposable {
  readonly statuses = new Map<number, number>();
  /** Messages of bytes that were not even the beginning of a request, whose connection ended without a response. */
  unanswered = 0;
  /** Open connections that await no response, by port: opening one for each request would take most of the time. */
  private readonly idle = new Map<number, RawConnection[]>();
  /** The state at the start. */
  private snapshot: unknown;

  private constructor(private readonly servers: ThreeServers) {}

  static async start(): Promise<Fuzzer> {
    // Almost every image is another: what is kept of them says nothing of what is lost.
    setImageCacheBytes(2 ** 20);
    const listen = { host: "127.0.0.1", port: 0, limits: { idleMilliseconds: 20 } };
    const servers = await startJoinedServers({
      listen: { manager: listen, target: listen, query: listen },
      options: (targetUrl) => resolveOptions({ targetUrl, processingTimeSeconds: 0 }),
    });
    const fuzzer = new Fuzzer(servers);
    await fuzzer.begin();
    return fuzzer;
  }

  /**
   * Sends one case.
   *
   * @throws Error naming what was sent, when it is not answered, or with a failure of the emulator's own.
   */
  async send(subject: Subject, seed: string): Promise<void> {
    const random = createRandom(seed);
    switch (subject) {
      case "bytes":
        return this.sendBytes(random);
      case "snapshots":
        return this.sendSnapshot(random);
      case "images":
        return this.sendImage(random);
      default:
        return this.sendRequest(
          subject,
          signedAgain(random, mutate(random, this.requestOf(subject, random))),
        );
    }
  }

  /** As at the start: one database, one target, no journal. */
  async begin(): Promise<void> {
    const { url } = this.servers.manager;
    await fetch(`${url}/reset`, { method: "POST" });
    const created = await fetch(`${url}/cloud_databases`, { method: "POST", body: JSON.stringify(DATABASE) });
    const target = { name: "poster", width: 1, image_base64: IMAGE.toString("base64"), target_id: "a" };
    const added = await fetch(`${url}/cloud_databases/fuzz/targets`, {
      method: "POST",
      body: JSON.stringify(target),
    });
    if (created.status !== 201 || added.status !== 201)
      throw new Error(`begin: ${created.status}, ${added.status}`);
    this.snapshot = await (await fetch(`${url}/snapshot`)).json();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const connection of [...this.idle.values()].flat()) connection.close();
    await this.servers.close(0);
  }

  private requestOf(service: ApiName, random: Random): RawRequest {
    const operations = APIS[service].operations;
    const operation = operations[random.integer(operations.length)];
    if (operation === undefined) throw new Error(`${service} has no operations`);
    const { method } = operation;
    const path = operation.path.replace(
      /\{(\w+)(?::[^}]*)?\}/g,
      (_, name: string) => PARAMETERS[name] ?? "a",
    );
    if (service === "query") {
      const { boundary, contentType = "" } = goodPlan(START);
      return signed("client", method, path, multipart([imagePart(IMAGE)], boundary), contentType);
    }
    const fields: Record<string, unknown> = {
      name: random.hex(6),
      width: 1,
      image: IMAGE.toString("base64"),
    };
    if (path.endsWith("instances")) fields.instance_id = "1";
    const body = method === "GET" || method === "DELETE" ? "" : JSON.stringify(fields);
    return signed("server", method, path, Buffer.from(body), "application/json");
  }

  private async sendRequest(service: ApiName, request: RawRequest): Promise<void> {
    const { method, target, headers, body } = request;
    const isSized = headers.some(([name]) => name.toLowerCase() === "content-length");
    const lines = [...headers, ...(isSized ? [] : [["Content-Length", String(body.length)]])];
    const head = `${method} ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
    const { port } = this.serverOf(service);
    const idle = this.idle.get(port) ?? [];
    this.idle.set(port, idle);
    const exchange = async (connection: RawConnection) => {
      connection.write(Buffer.concat([Buffer.from(head, "latin1"), body]));
      return inTime(
        connection.response().catch(() => ""),
        head,
      );
    };
    let connection = idle.pop() ?? (await RawConnection.open(port));
    let response = await exchange(connection);
    // Behind another request, what is no request is not answered: it may be the rest of a body.
    if (response === "") {
      connection.close();
      connection = await RawConnection.open(port);
      response = await exchange(connection);
    }
    this.note(response, head);
    if (/^connection: close\r$/im.test(response.split("\r\n\r\n", 1)[0] ?? "")) connection.close();
    else idle.push(connection);
  }

  private async sendBytes(random: Random): Promise<void> {
    const server = [this.servers.target, this.servers.query, this.servers.manager][random.integer(3)];
    const bytes = rawMessage(random);
    const connection = await RawConnection.open(server?.port ?? 0);
    connection.write(bytes).halfClose();
    const response = await inTime(connection.rest(), bytes.toString("latin1"));
    if (response === "") this.unanswered += 1;
    else this.note(response, bytes.toString("latin1"));
    connection.close();
  }

  private async sendSnapshot(random: Random): Promise<void> {
    const { url } = this.servers.manager;
    const { snapshot } = this;
    const body = JSON.stringify(random.integer(10) === 0 ? snapshot : mutateValue(random, snapshot));
    const put = () => inTime(fetch(`${url}/snapshot`, { method: "PUT", body }), body);
    const response = await put();
    this.count(response.status, body);
    if (response.status >= 300) return;
    // What was accepted can be listed, and taken again.
    for (const path of ["/cloud_databases", "/vumark_databases", "/snapshot"])
      this.count((await fetch(url + path)).status, body);
    const restored = await fetch(`${url}/snapshot`, { method: "PUT", body: JSON.stringify(snapshot) });
    if (restored.status !== 200) throw new Error(`restore: ${restored.status}`);
  }

  private async sendImage(random: Random): Promise<void> {
    const size = 1 + random.integer(16);
    const image = mutateBytes(random, makePng({ width: size, height: size, fill: (at) => at * 37 }));
    const fields = { name: random.hex(8), width: 1, image: image.toString("base64") };
    if (random.integer(2) === 0) {
      const body = Buffer.from(JSON.stringify(fields));
      return this.sendRequest("target", signed("server", "POST", "/targets", body, "application/json"));
    }
    const { boundary, contentType = "" } = goodPlan(START);
    const form = multipart([imagePart(image)], boundary);
    return this.sendRequest("query", signed("client", "POST", "/v1/query", form, contentType));
  }

  private serverOf(service: ApiName) {
    if (service === "manager") return this.servers.manager;
    return service === "query" ? this.servers.query : this.servers.target;
  }

  private note(response: string, sent: string): void {
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(response)?.[1] ?? Number.NaN);
    // The service itself answers so: the target API an empty body or a wrong name, the query API a body that was cut off.
    const isDocumented =
      (status === 500 && response.includes('"result_code":"Fail"')) ||
      (status === 504 && sent.startsWith("POST /v1/query "));
    this.count(isDocumented ? 499 : status, `${sent}\n---\n${response}`);
  }

  private count(status: number, what: string): void {
    if (!(status >= 100 && status < 500)) throw new Error(`${status}: ${what.slice(0, 3000)}`);
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }
}

function signed(
  key: keyof typeof KEYS,
  method: string,
  path: string,
  body: Buffer,
  contentType: string,
): RawRequest {
  const date = new Date().toUTCString();
  const authorization = authorizationHeader({ ...KEYS[key], method, path, body, contentType, date });
  return {
    method,
    target: path,
    headers: [
      ["Host", "127.0.0.1"],
      ["Authorization", authorization],
      ["Date", date],
      ["Content-Type", contentType],
    ],
    body,
  };
}

/** Signs most requests again, because a wrong signature hides everything else that is wrong. */
function signedAgain(random: Random, request: RawRequest): RawRequest {
  if (random.integer(8) === 0) return request;
  const { method, target, headers, body } = request;
  const headerOf = (wanted: string) => headers.find(([name]) => name === wanted)?.[1] ?? "";
  const key = Object.values(KEYS).find(({ accessKey }) =>
    headerOf("Authorization").startsWith(`VWS ${accessKey}:`),
  );
  if (key === undefined) return request;
  const [path = ""] = target.split("?", 1);
  const [contentType, date] = [headerOf("Content-Type"), headerOf("Date")];
  const authorization = authorizationHeader({ ...key, method, path, body, contentType, date });
  return {
    ...request,
    headers: headers.map(([name, value]) => [name, name === "Authorization" ? authorization : value]),
  };
}

async function inTime<T>(answer: Promise<T>, sent: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer to: ${sent.slice(0, 3000)}`)), LIMIT_MILLISECONDS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Bytes that are in use after a garbage collection. */
export async function usedBytes(): Promise<number> {
  // At most 1000 sketches of 22 kB are kept, which thousands of different images fill slowly.
  sketches.clear();
  collectGarbage();
  // What is released by the first collection, such as the other side of a socket, is collected by the second.
  await new Promise((resolve) => setTimeout(resolve, 50));
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

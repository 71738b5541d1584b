import { exactMatcher, fixedRater } from "mock-cloud-reco";
import { afterAll, beforeAll, expect, test } from "vitest";
import { START } from "../protocol/query/send.ts";
import { sendSigned } from "../support/answers.ts";
import type { DatabaseKeys, ServiceUnderTest } from "../support/backends.ts";
import { serversBackend } from "../support/backends.ts";
import { nodeClient } from "../support/clients.ts";
import { makePng } from "../support/png.ts";
import { goodPlan, imagePart, multipart } from "../support/query-plan.ts";
import { signedRequest } from "../support/signed-request.ts";

const CLIENTS = 64;
/** Operations of each client; SOAK_ROUNDS=500 is a long test, a few find what is often wrong. */
const ROUNDS = Number(process.env.SOAK_ROUNDS ?? 12);

let service: ServiceUnderTest;
let database: DatabaseKeys;
beforeAll(async () => {
  service = await serversBackend.open({
    processingTimeSeconds: 0,
    queryMatcher: exactMatcher,
    targetRater: fixedRater(5),
    queryContentEncoding: "identity",
  });
  database = await service.addCloudDatabase({ targetQuota: 1_000_000 });
});
afterAll(() => service[Symbol.asyncDispose]());

/** What one client knows of its own targets: id, name, image; and of names that all clients want. */
class Worker {
  readonly targets = new Map<string, { name: string; image: number }>();
  readonly won: string[] = [];
  readonly statuses = new Map<number, number>();
  private count = 0;

  constructor(private readonly index: number) {}

  async work(round: number): Promise<void> {
    const own = [...this.targets.keys()];
    const [first] = own;
    switch (round % 6) {
      case 0:
        await this.add(`${this.index}-${this.next()}`);
        return;
      case 1:
        await this.contend(`contended ${Math.floor(round / 6)}`);
        return;
      case 2:
        if (first !== undefined) await this.update(first);
        return;
      case 3:
        if (own.length > 3 && first !== undefined) await this.remove(first);
        return;
      case 4:
        await this.list();
        return;
      default:
        await this.query();
    }
  }

  private next(): number {
    this.count += 1;
    return this.count;
  }

  private async send(method: string, path: string, body?: unknown) {
    const answer = await sendSigned(service, database, { method, path, body });
    this.note(answer.status);
    return answer;
  }

  private note(status: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }

  private async add(name: string): Promise<string> {
    const image = this.index * 1000 + this.count;
    const { fields } = await this.send("POST", "/targets", { name, width: 1, image: picture(image) });
    const id = String(fields.target_id);
    expect(fields.result_code).toBe("TargetCreated");
    this.targets.set(id, { name, image });
    return id;
  }

  private async contend(name: string): Promise<void> {
    const { status, fields } = await this.send("POST", "/targets", { name, width: 1, image: picture(0) });
    expect([201, 403]).toContain(status);
    if (status === 201) this.won.push(name);
    else expect(fields.result_code).toBe("TargetNameExist");
  }

  private async update(id: string): Promise<void> {
    const name = `${this.index}-${this.next()} renamed`;
    const image = this.index * 1000 + this.count;
    const { status } = await this.send("PUT", `/targets/${id}`, { name, image: picture(image) });
    expect(status).toBe(200);
    this.targets.set(id, { name, image });
  }

  private async remove(id: string): Promise<void> {
    expect((await this.send("DELETE", `/targets/${id}`)).status).toBe(200);
    this.targets.delete(id);
  }

  private async list(): Promise<void> {
    const { fields } = await this.send("GET", "/targets");
    const results = Array.isArray(fields.results) ? fields.results : [];
    expect(new Set(results).size).toBe(results.length);
    for (const id of this.targets.keys()) expect(results).toContain(id);
  }

  private async query(): Promise<void> {
    const [id, { image } = { image: -1 }] = [...this.targets].at(-1) ?? ["none"];
    const body = multipart([imagePart(bytes(image))], goodPlan(START).boundary);
    const response = await nodeClient(
      signedRequest({
        method: "POST",
        baseUrl: service.urls.query,
        path: "/v1/query",
        accessKey: database.clientAccessKey,
        secretKey: database.clientSecretKey,
        now: service.clock.now(),
        body,
        contentType: goodPlan(START).contentType,
      }),
    );
    this.note(response.status);
    const { results }: { results: { target_id: string }[] } = JSON.parse(response.body.toString());
    expect(results.map(({ target_id }) => target_id)).toEqual(id === "none" ? [] : [id]);
  }
}

const bytes = (image: number): Buffer =>
  makePng({ width: 8, height: 8, fill: (at) => (at * 37 + ((image + 1) >> ((at % 3) * 8))) & 255 });
const picture = (image: number): string => bytes(image).toString("base64");

test(
  `${CLIENTS} clients at once with ${ROUNDS} operations each: nothing is lost, nothing is there twice, no 5xx`,
  async () => {
    const workers = Array.from({ length: CLIENTS }, (_, index) => new Worker(index + 1));
    await Promise.all(
      workers.map(async (worker, index) => {
        for (let round = index; round < index + ROUNDS; round += 1) await worker.work(round);
      }),
    );

    const statuses = new Map<number, number>();
    for (const worker of workers) {
      for (const [status, count] of worker.statuses)
        statuses.set(status, (statuses.get(status) ?? 0) + count);
    }
    expect([...statuses.keys()].filter((status) => status >= 500)).toEqual([]);
    expect(statuses.get(200)).toBeGreaterThan(CLIENTS);

    const won = workers.flatMap((worker) => worker.won);
    expect(new Set(won).size).toBe(won.length);
    const model = new Map(
      workers.flatMap((worker) => [...worker.targets].map(([id, { name }]) => [id, name])),
    );
    const { fields } = await sendSigned(service, database, { method: "GET", path: "/targets" });
    const listed = Array.isArray(fields.results) ? fields.results.map(String) : [];
    expect(listed).toHaveLength(model.size + won.length);
    const names = await Promise.all(
      listed.map(async (id) => {
        const record = await sendSigned(service, database, { method: "GET", path: `/summary/${id}` });
        return [id, String(record.fields.target_name)] as const;
      }),
    );
    const known = names.filter(([id]) => model.has(id));
    expect(new Map(known)).toEqual(model);
    expect(
      names
        .filter(([id]) => !model.has(id))
        .map(([, name]) => name)
        .sort(),
    ).toEqual(won.sort());
  },
  60_000 + ROUNDS * 1000,
);

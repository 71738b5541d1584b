import { exactMatcher, ManualClock, MockCloudReco, perfectRater } from "mock-cloud-reco";
import { describe, expect, it } from "vitest";
import { decoded, sendPlan } from "../protocol/query/send.ts";
import type { DatabaseKeys } from "../support/backends.ts";
import { nodeClient } from "../support/clients.ts";
import { collectGarbage } from "../support/collect-garbage.ts";
import { makePng } from "../support/png.ts";
import { goodPlan, imagePart } from "../support/query-plan.ts";
import { generator } from "../support/scenes.ts";
import { signedRequest } from "../support/signed-request.ts";

/** How many operations to do: a few hundred in every run, `SOAK_OPERATIONS=100000` for a long one. */
const OPERATIONS = Number(process.env.SOAK_OPERATIONS ?? 600);
const SEED = Number(process.env.SOAK_SEED ?? 1);
const PROCESSING_SECONDS = 2;
const IMAGES = Array.from({ length: 6 }, (_, image) =>
  makePng({ fill: (index) => (index * (2 * image + 7)) & 255 }),
);

interface ModelTarget {
  readonly uploadedAt: number;
  readonly id: string;
  name: string;
  width: number;
  active: boolean;
  image: number;
  changedAt: number;
}

/** What the service should hold: targets of one database, in order of creation. */
class Model {
  readonly targets: ModelTarget[] = [];

  constructor(private readonly clock: ManualClock) {}

  isProcessing = ({ changedAt }: ModelTarget): boolean =>
    this.clock.now().getTime() - changedAt < PROCESSING_SECONDS * 1000;
  named = (name: string): ModelTarget | undefined => this.targets.find((target) => target.name === name);
  found = (image: number): string[] =>
    this.targets
      .filter((one) => one.active && !this.isProcessing(one) && one.image === image)
      .map(({ id }) => id);
}

class Soak {
  readonly clock = new ManualClock(new Date(Date.UTC(2026, 10, 21)));
  readonly mock = new MockCloudReco({
    clock: this.clock,
    processingTimeSeconds: PROCESSING_SECONDS,
    queryMatcher: exactMatcher,
    targetRater: perfectRater,
    queryContentEncoding: "identity",
    imageCacheBytes: 1_000_000,
    seed: SEED,
  });
  private readonly draw = generator(SEED);
  readonly databases = [0, 1].map(() => ({
    keys: this.mock.addCloudDatabase(),
    model: new Model(this.clock),
  }));
  operations = 0;

  /** A whole number from 0 to `bound - 1`. */
  private integer(bound: number): number {
    return Math.floor(this.draw() * bound);
  }

  async step(): Promise<void> {
    const database = this.pick(this.databases);
    const steps = [
      this.add,
      this.add,
      this.update,
      this.remove,
      this.list,
      this.record,
      this.summary,
      this.query,
      this.wait,
    ];
    this.operations += 1;
    if (database !== undefined) await this.pick(steps)?.call(this, database.keys, database.model);
  }

  private async add(keys: DatabaseKeys, model: Model): Promise<void> {
    const [image, name] = [this.integer(IMAGES.length), this.name()];
    const active_flag = this.integer(4) > 0;
    const body = { name, width: 1, image: IMAGES[image]?.toString("base64"), active_flag };
    const { status, content } = await this.send(keys, "POST", "/targets", body);
    if (model.named(name) !== undefined)
      expect([status, content.result_code]).toEqual([403, "TargetNameExist"]);
    else {
      expect(status).toBe(201);
      const id = String(content.target_id);
      const [uploadedAt, changedAt] = [this.now, this.now];
      model.targets.push({ id, name, width: 1, active: active_flag, image, uploadedAt, changedAt });
      model.targets.sort((a, b) => a.uploadedAt - b.uploadedAt || (a.id < b.id ? -1 : 1));
    }
  }

  private async update(keys: DatabaseKeys, model: Model): Promise<void> {
    const target = this.pick(model.targets);
    if (target === undefined) return;
    const [name, width] = [this.name(), this.integer(100) + 1];
    const { status, content } = await this.send(keys, "PUT", `/targets/${target.id}`, { name, width });
    const owner = model.named(name);
    if (owner !== undefined && owner !== target) expect(content.result_code).toBe("TargetNameExist");
    else if (model.isProcessing(target)) expect(content.result_code).toBe("TargetStatusNotSuccess");
    else {
      expect(status).toBe(200);
      Object.assign(target, { name, width, changedAt: this.now });
    }
  }

  private async remove(keys: DatabaseKeys, model: Model): Promise<void> {
    const target = this.pick(model.targets);
    if (target === undefined) return;
    const { content } = await this.send(keys, "DELETE", `/targets/${target.id}`);
    if (model.isProcessing(target)) expect(content.result_code).toBe("TargetStatusProcessing");
    else {
      expect(content.result_code).toBe("Success");
      model.targets.splice(model.targets.indexOf(target), 1);
    }
  }

  private async list(keys: DatabaseKeys, model: Model): Promise<void> {
    const { content } = await this.send(keys, "GET", "/targets");
    expect(content.results).toEqual(model.targets.map(({ id }) => id));
  }

  private async record(keys: DatabaseKeys, model: Model): Promise<void> {
    const target = this.pick(model.targets);
    if (target === undefined) return;
    const { name, width, active } = target;
    const { content } = await this.send(keys, "GET", `/targets/${target.id}`);
    expect(content).toMatchObject({
      status: model.isProcessing(target) ? "processing" : "success",
      target_record: { name, width, active_flag: active },
    });
  }

  private async summary(keys: DatabaseKeys, model: Model): Promise<void> {
    const processing = model.targets.filter(model.isProcessing);
    const done = model.targets.filter((target) => !model.isProcessing(target));
    const { content } = await this.send(keys, "GET", "/summary");
    expect(content).toMatchObject({
      processing_images: processing.length,
      active_images: done.filter(({ active }) => active).length,
      inactive_images: done.filter(({ active }) => !active).length,
    });
  }

  private async query(keys: DatabaseKeys, model: Model): Promise<void> {
    const image = this.integer(IMAGES.length);
    const plan = goodPlan(this.clock.now());
    plan.parts = [imagePart(IMAGES[image]), { name: "max_num_results", content: "50" }];
    const { results } = JSON.parse(decoded(await sendPlan(this.mock, keys, plan)));
    expect(results.map(({ target_id }: { target_id: string }) => target_id)).toEqual(
      model.found(image).slice(0, 50),
    );
  }

  private async wait(): Promise<void> {
    this.clock.advance(this.integer(3));
  }

  private async send(keys: DatabaseKeys, method: string, path: string, body?: unknown) {
    const { serverAccessKey: accessKey, serverSecretKey: secretKey } = keys;
    const baseUrl = this.mock.urls.target;
    const request = signedRequest({
      method,
      path,
      baseUrl,
      accessKey,
      secretKey,
      now: this.clock.now(),
      body,
    });
    const { status, body: answer } = await nodeClient(request);
    const content: Record<string, unknown> = JSON.parse(answer.toString());
    return { status, content };
  }

  private get now(): number {
    return this.clock.now().getTime();
  }

  private name(): string {
    return `target ${this.integer(40)}`;
  }

  private pick<T>(values: readonly T[]): T | undefined {
    return values[this.integer(values.length)];
  }
}

function heap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

describe("many mixed operations", () => {
  it(
    `agree with a model of what was acknowledged, ${OPERATIONS} of them (seed ${SEED})`,
    async () => {
      const soak = new Soak();
      using _mock = soak.mock;
      const heapBefore = heap();
      while (soak.operations < OPERATIONS) await soak.step();
      expect(soak.mock.requests.length).toBeLessThanOrEqual(1000);
      // Deleted targets and the latest requests are kept, but these small records take less than this.
      expect(heap() - heapBefore).toBeLessThan(20_000_000 + 1000 * soak.operations);
    },
    60_000 + OPERATIONS * 100,
  );
});

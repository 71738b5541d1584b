/* Opens pages of the target manager, sends requests beside them, and sends their times to the process that started this one. */
import { once } from "node:events";
import { Agent, get, type IncomingMessage, type RequestOptions } from "node:http";
import type { Load } from "./load.ts";
import { nextMessage } from "./measure.ts";

export interface PagesTask {
  readonly pages: number;
  /** Address of the pages' events. */
  readonly events: string;
  readonly load: Load;
}

export interface SummaryTimes {
  /** In milliseconds. */
  readonly p99: number;
}

const REQUESTS = 2000;
const CONCURRENCY = 4;

for (;;) {
  const task = await nextMessage<PagesTask>(process);
  const pages = await Promise.all(Array.from({ length: task.pages }, () => opened(task.events)));
  process.send?.("opened");
  await nextMessage(process);
  const times = await timesOf(task.load);
  for (const page of pages) page.destroy();
  const result: SummaryTimes = { p99: times[Math.floor(times.length * 0.99)] ?? Number.NaN };
  process.send?.(result);
}

/** A page that reads its view again, the databases, at each event; it has been told of the first one. */
async function opened(events: string): Promise<IncomingMessage> {
  const page = await responseTo(events);
  const tags = new Map<string, string>();
  const read = async (view: string) => {
    const response = await responseTo(events.replace(/events$/, view), {
      headers: { "If-None-Match": tags.get(view) ?? "" },
    });
    tags.set(view, response.headers.etag ?? "");
    await once(response.resume(), "end");
  };
  let reading: Promise<unknown> = Promise.resolve();
  await new Promise<void>((resolve) => {
    page.setEncoding("latin1").on("data", (text: string) => {
      if (!text.includes("changed")) return;
      reading = reading.then(() => Promise.all([read("state"), read("databases")])).then(() => resolve());
    });
  });
  return page;
}

/** How long each of the requests took, shortest first. */
async function timesOf({ url, headers }: Load): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  const times: number[] = [];
  const worker = async () => {
    while (times.length < REQUESTS) {
      const start = performance.now();
      const response = await responseTo(url, { agent, headers });
      await once(response.resume(), "end");
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  agent.destroy();
  return times.toSorted((a, b) => a - b);
}

function responseTo(url: string, options: RequestOptions = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, options, resolve).on("error", reject);
  });
}

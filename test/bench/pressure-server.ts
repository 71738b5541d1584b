/* A server, ours or a bare one, whose event loop is watched; sends what it found to the process that started this one. */
import { createServer } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { ManualClock, samplePicture } from "../../src/index.ts";
import { startServers } from "../../src/servers/index.ts";
import { START } from "../protocol/query/send.ts";
import { goodPlan, imagePart, multipart } from "../support/query-plan.ts";
import { type Load, listen, signed } from "./load.ts";
import { nextMessage } from "./measure.ts";

/** How long turns of the event loop took, in milliseconds. */
export interface LoopTimes {
  readonly p999: number;
}

const TARGETS = 50;

process.send?.(await (process.argv[2] === "bare" ? bare() : ours()));
const delay = monitorEventLoopDelay({ resolution: 1 });
for (;;) {
  await nextMessage(process);
  delay.reset();
  delay.enable();
  process.send?.("watching");
  await nextMessage(process);
  delay.disable();
  const times: LoopTimes = { p999: delay.percentile(99.9) / 1e6 };
  process.send?.(times);
}

/** Our servers, with a database of some targets; what is asked of them, the query last. */
async function ours(): Promise<readonly Load[]> {
  const clock = new ManualClock();
  const servers = await startServers({ clock, targetRater: "perfect" });
  const database = servers.addCloudDatabase();
  const image = await samplePicture(1);
  for (let index = 0; index < TARGETS; index += 1)
    await servers.addTarget(database, { name: String(index), image, processed: true });
  const { serverAccessKey, serverSecretKey, clientAccessKey, clientSecretKey, targets } = database;
  const { urls } = servers;
  const reads = ["/summary", "/targets", `/targets/${targets[0]?.targetId}`].map((path) =>
    signed(clock.now(), urls.target, path, [serverAccessKey, serverSecretKey]),
  );
  const form = multipart([imagePart()], goodPlan(START).boundary);
  const query = signed(clock.now(), urls.query, "/v1/query", [clientAccessKey, clientSecretKey], form);
  return [...reads, query];
}

/** A bare server that sends about as many bytes. */
async function bare(): Promise<readonly Load[]> {
  const content = Buffer.alloc(500, "x");
  const server = createServer((_request, response) => {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": content.length });
    response.end(content);
  });
  const url = await listen(server);
  return [signed(new Date(), url, "/summary", ["key", "secret"])];
}

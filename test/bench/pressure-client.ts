/* Keeps connections busy for some time, and sends how many requests were answered to the process that started this one. */
import { connect } from "node:net";
import type { Load } from "./load.ts";
import { nextMessage } from "./measure.ts";

export interface PressureTask {
  readonly loads: readonly Load[];
  readonly connections: number;
  readonly seconds: number;
}

for (;;) {
  const { loads, connections, seconds } = await nextMessage<PressureTask>(process);
  const end = performance.now() + seconds * 1000;
  const counts = await Promise.all(
    Array.from({ length: connections }, (_, index) => answered(loads[index % loads.length], end)),
  );
  process.send?.(counts.reduce((total, count) => total + count));
}

/** Sends a request as soon as the one before it was answered. Not by node:http, which takes as long as the server. */
function answered(load: Load | undefined, end: number): Promise<number> {
  if (load === undefined) throw new Error("there is nothing to send");
  const { hostname, port, pathname } = new URL(load.url);
  const head = [`${load.method} ${pathname} HTTP/1.1`, `Host: ${hostname}`];
  const lines = [...head, ...Object.entries(load.headers).map((pair) => pair.join(": ")), "", ""];
  const bytes = Buffer.concat([Buffer.from(lines.join("\r\n")), Buffer.from(load.body ?? [])]);
  return new Promise((resolve, reject) => {
    let count = 0;
    let received = "";
    const socket = connect(Number(port), hostname, () => socket.write(bytes)).setEncoding("latin1");
    socket.on("error", reject).on("data", (text: string) => {
      received += text;
      const found = /^HTTP\/1\.1 200[\s\S]*?content-length: (\d+)[\s\S]*?\r\n\r\n/i.exec(received);
      if (found === null && received.includes("\r\n\r\n")) reject(new Error(received));
      if (found === null || received.length < found[0].length + Number(found[1])) return;
      received = "";
      count += 1;
      if (performance.now() < end) socket.write(bytes);
      else resolve(socket.end() && count);
    });
  });
}

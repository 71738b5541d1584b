import { ReadableStream } from "node:stream/web";
import { MessageChannel } from "node:worker_threads";

/** Fewer take longer to free on Node 20 than to get. */
const LEAST_BYTES = 2 ** 20;

/**
 * Frees the memory of bytes that nothing reads any more, and empties them. Megabytes that wait for a garbage collection cause one
 * every few requests, and the next ones get memory from the system, which takes longer than to decode them.
 */
export function freeMemory({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < LEAST_BYTES || byteLength !== buffer.byteLength) return;
  const { transfer }: { readonly transfer?: unknown } = buffer as object;
  if (typeof transfer === "function") Reflect.apply(transfer, buffer, [0]);
  else freeByStream(buffer as ArrayBuffer).catch(() => {});
}

/** Node 20 has no other way: it copies buffers of addons instead of transferring them. A message to nobody is dropped at once. */
async function freeByStream(buffer: ArrayBuffer): Promise<void> {
  const stream = new ReadableStream({
    type: "bytes",
    start: (controller) => controller.enqueue(new Uint8Array(buffer)),
  });
  const { value } = await stream.getReader().read();
  const { port1, port2 } = new MessageChannel();
  port2.close();
  port1.postMessage(null, value === undefined ? [] : [value.buffer as ArrayBuffer]);
  port1.close();
}

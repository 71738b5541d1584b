import { MessageChannel } from "node:worker_threads";

/*
 * Long computations run in slices on the main thread, at most one slice per turn of the event loop, however many
 * computations are under way: twenty at once make each one slower, never the loop.
 */
const waiting: (() => void)[] = [];

/** Waits for a turn of the event loop of one's own. Await it before each slice (aim at 5 ms or less of work). */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) releaseOnePerTurn();
  });
}

/**
 * A message, because no fake timers replace it as they do setImmediate; on a channel of its own, because Node delivers
 * up to 1000 messages of one channel in a row, without looking at timers and sockets in between.
 */
function releaseOnePerTurn(): void {
  const { port1, port2 } = new MessageChannel();
  port2.once("message", () => {
    port2.close();
    waiting.shift()?.();
    if (waiting.length > 0) releaseOnePerTurn();
  });
  port1.postMessage(null);
}

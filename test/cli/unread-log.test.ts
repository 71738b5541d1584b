import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { LogOutput } from "../../src/cli/output.ts";

/** A stream that is not read until the test says so. */
function unread() {
  const written: string[] = [];
  let isRead = false;
  let go = () => {};
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      if (isRead) done();
      else go = done;
    },
  });
  const read = () => {
    isRead = true;
    go();
  };
  return { stream, written, read };
}

test("keeps bounded memory when the log is not read, and reports how many lines were dropped", async () => {
  const { stream, written, read } = unread();
  const log = new LogOutput(stream);
  const line = `${"x".repeat(9999)}\n`;
  for (let count = 0; count < 1000; count += 1) log.write(line);
  expect(stream.writableLength).toBeLessThan(2 ** 20 + 20_000);
  const kept = Math.ceil(stream.writableLength / line.length);
  expect(await log.drain(10)).toBe(false);
  read();
  expect(await log.drain(10_000)).toBe(true);
  log.write("last\n");
  expect(await log.drain(10_000)).toBe(true);
  expect(written.slice(-2)).toEqual([`{"level":"warn","droppedLines":${1000 - kept}}\n`, "last\n"]);
});

test("does not fail when the reader has closed the log", async () => {
  const { stream } = unread();
  const log = new LogOutput(stream);
  stream.destroy(new Error("EPIPE"));
  await new Promise(setImmediate);
  log.write("more\n");
  expect(await log.drain(10_000)).toBe(true);
});

import { MemoryStore } from "../../../src/core/store/memory-store.ts";
import { wholeSnapshot } from "../../../src/core/store/snapshot.ts";
import { restoreState, writeStateFile } from "../../../src/core/store/state-file.ts";

/** Writes two states to a file in turn until it is killed, and a line after each. */
const [path = ""] = process.argv.slice(2);
const states = await Promise.all(
  [`${path}.a`, `${path}.b`].map(async (source) => {
    const store = new MemoryStore(async () => ({ outcome: "success", rating: 5 }));
    if (!(await restoreState(source, store))) throw new Error(`no state in ${source}`);
    return store.read(wholeSnapshot);
  }),
);
for (;;) {
  for (const state of states) {
    await writeStateFile(path, state);
    process.stdout.write("written\n");
  }
}

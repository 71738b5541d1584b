import { MemoryStore } from "../../../src/store/memory-store.ts";
import { restoreState, writeState } from "../../../src/store/state-file.ts";

/** Writes two states to a file in turn until it is killed, beginning with the other one than it finds. */
const [path = ""] = process.argv.slice(2);
const states = await Promise.all(
  [`${path}.a`, `${path}.b`].map(async (source) => {
    const store = new MemoryStore(async () => ({ outcome: "success", rating: 5 }));
    if (!(await restoreState(source, store))) throw new Error(`no state in ${source}`);
    return store.snapshot();
  }),
);
process.stdout.write("ready\n");
for (;;) for (const state of states) await writeState(path, state);

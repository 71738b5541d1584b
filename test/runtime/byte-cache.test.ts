import fc from "fast-check";
import { expect, test } from "vitest";
import { ByteCache } from "../../src/runtime/byte-cache.ts";

test("what was used longest ago goes first", () => {
  const cache = new ByteCache(10);
  for (const key of ["a", "b"]) cache.set(key, Buffer.from(key.repeat(5)));
  cache.get("a");
  cache.set("c", Buffer.from("ccccc"));
  expect(["a", "b", "c"].map((key) => cache.get(key)?.toString())).toEqual(["aaaaa", undefined, "ccccc"]);
});

test("whatever is kept, the limit holds, and what is found is what was set", () => {
  const step = fc.record({ key: fc.constantFrom("a", "b", "c", "d"), size: fc.nat(12), drop: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const cache = new ByteCache(10);
      const last = new Map<string, Buffer>();
      for (const { key, size, drop } of steps) {
        if (drop) {
          cache.delete(key);
          last.delete(key);
        } else {
          const bytes = Buffer.alloc(size, key);
          cache.set(key, bytes);
          last.set(key, bytes);
        }
        const kept = [...last.keys()].flatMap((known) => cache.get(known) ?? []);
        expect(kept.reduce((sum, { length }) => sum + length, 0)).toBe(cache.size);
        expect(cache.size).toBeLessThanOrEqual(10);
        for (const known of ["a", "b", "c", "d"]) {
          const found = cache.get(known);
          if (found !== undefined) expect(found).toBe(last.get(known));
        }
        if (!drop && size <= 10) expect(cache.get(key)).toBeDefined();
      }
    }),
  );
});

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { leavingTable } from "../matrix/leaving-clients.ts";

const guide = readFileSync(new URL("../../examples/works-with/README.md", import.meta.url), "utf8");

it("the guide lists the clients that leave, which the matrix tries, and what stops them", () => {
  const [, table] = /<!-- leaving -->\n((?:\|.*\n)+)/.exec(guide) ?? [];
  expect(table).toBe(leavingTable());
});

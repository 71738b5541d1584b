import { expect, it } from "vitest";
import { type AnyCheck, CheckTable, check, runChecks } from "../../src/core/emulator/check.ts";
import type { OperationContext } from "../../src/core/emulator/context.ts";
import { profiles } from "../../src/core/emulator/profiles.ts";
import { type DeclaredResponse, type Refusal, refuse } from "../../src/core/emulator/response.ts";
import { type AnyCause, cause } from "../../src/core/schema/causes/causes.ts";

const declared = (status: number): DeclaredResponse => ({
  status,
  description: "Refused.",
  headers: () => [],
});
const bad = declared(400);
const gone = declared(410);
const run = async (only: AnyCheck) => runChecks([only], { profile: profiles.neutral });
const answering = (refusals: DeclaredResponse[], verdict: AnyCause | Refusal) =>
  check({ name: "answering", refusals, test: () => verdict });

it("a cause alone refuses with the only declared response", async () => {
  const empty = cause("body.empty");
  const refused = await run(answering([bad], empty));
  expect(refused).toMatchObject({ refusedBy: "answering", refusal: { declared: bad, cause: empty } });
});

it("fails when a check answers with a response that it does not declare", async () => {
  await expect(run(answering([bad], refuse(gone, cause("target.deleted"))))).rejects.toThrow(
    "the check answering answers with 410, which it does not declare",
  );
});

it("fails when a check with several responses does not name one", async () => {
  await expect(run(answering([bad, gone], cause("body.empty")))).rejects.toThrow("declares 2 responses");
});

it("waits only for a check that says so", async () => {
  const later = check({ name: "later", refusals: [bad], testLater: async () => cause("body.empty") });
  expect(await run(later)).toMatchObject({ refusedBy: "later" });
  // @ts-expect-error A promise is not the result of a test.
  check({ name: "undeclared", refusals: [bad], test: async () => ({ found: 1 }) });
});

it("keeps the rows that concern an operation", () => {
  const everywhere = check({ name: "everywhere", refusals: [], test: () => true });
  const adding = check({ name: "adding", operations: ["addTarget"], refusals: [], test: () => true });
  const table = CheckTable.on<OperationContext, "addTarget" | "getTarget">().and(everywhere).and(adding);
  expect(table.for("addTarget").map(({ name }) => name)).toEqual(["everywhere", "adding"]);
  expect(table.for("getTarget").map(({ name }) => name)).toEqual(["everywhere"]);
});

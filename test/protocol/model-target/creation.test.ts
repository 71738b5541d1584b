import { describe, expect, it } from "vitest";
import { describeApi, type Sent } from "./api.ts";
import {
  ADVANCED,
  bearer,
  creation,
  dataset,
  expectJson,
  jsonOf,
  model,
  STANDARD,
  textIn,
  tokenFor,
  validationMessages,
} from "./requests.ts";

const withType = (type: string, body: unknown = dataset()): Sent =>
  creation(body, { headers: { ...bearer(), "Content-Type": type } });
const withScope = (scope: string, path: string, body: unknown): Sent =>
  creation(body, { path, headers: { ...bearer(tokenFor(scope)), "Content-Type": "application/json" } });

const stateful = dataset(model({ stateBasedConfigurationJsonString: '{"states":{}}' }));
const brokenStateful = { models: [1, { stateBasedConfigurationJsonString: null }] };
const NO_STATES = {
  error: {
    code: "ERROR",
    message: "User not allowed to create State Based Model Targets",
    target: "userId:mock",
  },
};
const EXCEEDED = {
  error: {
    code: "TRAINING_ALLOWANCE_EXCEEDED",
    message: "User has reached total number of allowed trainings",
    target: "userId:mock",
  },
};

describeApi("creating a dataset of either family", (openApi) => {
  describe.each([
    ["standard", STANDARD, "modeltargets.standardmodeltarget.all", "modeltargets.statebasedmodeltarget.all"],
    [
      "advanced",
      ADVANCED,
      "modeltargets.advancedmodeltarget.all",
      "modeltargets.advancedstatebasedmodeltarget.all",
    ],
  ])("creating a dataset (%s)", (_family, path, own, states) => {
    it("answers with a new uuid", async () => {
      await using api = await openApi();
      const [one, other] = [
        await api.send(creation(dataset(), { path })),
        await api.send(creation(dataset(), { path })),
      ];
      const uuid = textIn(one, "uuid");
      expect(uuid).toMatch(/^[0-9a-f]{32}$/);
      expectJson(one, 201, { uuid });
      expect(textIn(other, "uuid")).not.toBe(uuid);
    });

    it("answers 403 without the scope for state-based models", async () => {
      await using api = await openApi();
      expect((await api.send(withScope(own, path, dataset()))).status).toBe(201);
      expectJson(await api.send(withScope(own, path, stateful)), 403, NO_STATES);
      expect((await api.latest()).reason).toContain(states);
      expect((await api.send(withScope(`${own} ${states}`, path, stateful))).status).toBe(201);
      expect((await api.send(withScope("modeltargets.all", path, stateful))).status).toBe(201);
      expect((await api.send(withScope(states, path, stateful))).body.toString()).toMatch(
        /^User does not have/,
      );
    });

    it("checks that scope before validation, for any model that has the key", async () => {
      await using api = await openApi();
      expectJson(await api.send(withScope(own, path, brokenStateful)), 403, NO_STATES);
      const validated = await api.send(withScope(`${own} ${states}`, path, brokenStateful));
      expect(validationMessages(validated)).toHaveLength(2);
    });
  });
});

describeApi("creating a dataset", (openApi) => {
  it.each([["application/json"], ["text/json"], ["application/json; charset=utf-8"], ["x/y, text/json"]])(
    "takes %s",
    async (type) => {
      await using api = await openApi();
      expect((await api.send(withType(type))).status).toBe(201);
    },
  );

  it.each([["text/plain"], ["application/jso"], ["multipart/form-data; boundary=x"], [""]])(
    "answers 415 for the content type %j before the body is read",
    async (type) => {
      await using api = await openApi();
      const error = { code: "ERROR", message: "Expecting text/json or application/json body" };
      expectJson(await api.send(withType(type, "{")), 415, { error });
      expectJson(await api.send(creation("{", { headers: bearer() })), 415, { error });
      expect((await api.latest()).reason).toContain("application/json");
    },
  );

  const invalid: [string, string | Buffer][] = [
    ["an empty body", ""],
    ["a cut-off body", '{"name":'],
    ["NaN", '{"name":NaN}'],
    ["a byte-order mark", `\ufeff${JSON.stringify(dataset())}`],
    ["a body that is not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ["more than 100 levels", `${"[".repeat(101)}${"]".repeat(101)}`],
    ["63 MiB of brackets", "[".repeat(63 * 2 ** 20)],
  ];

  it.each(invalid)("refuses %s with a validation error (neutral)", async (_name, body) => {
    await using api = await openApi();
    const received = await api.send(creation(body));
    expect(validationMessages(received)).toEqual([expect.stringMatching(/^Invalid Json: ./)]);
  });

  it.each(invalid)("refuses %s with a separate error (vuforia)", async (_name, body) => {
    await using api = await openApi({ profile: "vuforia" });
    const received = await api.send(creation(body));
    expectJson(received, 400, { error: { code: "ERROR", message: textOfError(jsonOf(received)) } });
    expect(textOfError(jsonOf(received))).toMatch(/^Invalid Json: ./);
  });

  it("reads the last of duplicate keys, and up to 100 levels", async () => {
    await using api = await openApi();
    const deep = `${"[".repeat(99)}1${"]".repeat(99)}`;
    const { name: _name, ...rest } = dataset();
    const body = `{"name":1,"name":"x","deep":${deep},${JSON.stringify(rest).slice(1)}`;
    expect((await api.send(creation(body))).status).toBe(201);
  });

  it("reports an exceeded allowance for valid requests only", async () => {
    await using api = await openApi({ modelTargetTrainingAllowanceExceeded: true });
    expectJson(await api.send(creation(dataset())), 422, EXCEEDED);
    expect(validationMessages(await api.send(creation({})))).toHaveLength(3);
    expect((await api.send(creation(dataset(), { headers: {} }))).status).toBe(401);
  });

  it("gives every validation error a new uuid, and only the two headers", async () => {
    await using api = await openApi();
    const [one, other] = [await api.send(creation({})), await api.send(creation({}))];
    expect(one.body).not.toEqual(other.body);
    expectJson(one, 400, jsonOf(one));
    expect(one.body.toString()).toMatch(
      /^\{"error":\{"code":"BAD_REQUEST","message":"[^"]+","target":"\w+","details":\[\{"code":"VALIDATION_ERROR","message":/,
    );
  });
});

const textOfError = (content: unknown): string => String(Object(Object(content).error).message);

import { describe, expect, it } from "vitest";
import { describeApi, type Sent } from "./api.ts";
import {
  ADVANCED,
  bearer,
  creation,
  dataset,
  expectJson,
  model,
  STANDARD,
  textIn,
  tokenFor,
  validationMessages,
} from "./requests.ts";

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

describeApi("the content type of a dataset creation", (openApi) => {
  it.each([
    ["Application/JSON; charset=utf-8", 201, 415],
    ["TEXT/JSON", 201, 415],
    ["text/json", 201, 201],
    ["application/json-patch+json", 415, 201],
    ["text/plain; was=application/json", 415, 201],
    ["image/png", 415, 415],
  ])("%s is answered with %i, under the vuforia profile with %i", async (type, neutral, vuforia) => {
    for (const [profile, status] of [["neutral", neutral] as const, ["vuforia", vuforia] as const]) {
      await using api = await openApi({ profile });
      const body = dataset();
      const sent = creation(body, { headers: { ...bearer(), "Content-Type": type } });
      expect([profile, (await api.send(sent)).status]).toEqual([profile, status]);
    }
  });
});

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
  it("refuses 63 MiB of brackets as any invalid JSON", async () => {
    await using api = await openApi();
    const received = await api.send(creation("[".repeat(63 * 2 ** 20)));
    expect(validationMessages(received)).toEqual([expect.stringMatching(/^Invalid Json: ./)]);
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

  it("gives every validation error a new uuid", async () => {
    await using api = await openApi();
    const [one, other] = [await api.send(creation({})), await api.send(creation({}))];
    expect(one.body).not.toEqual(other.body);
  });

  it("says in the journal what to change, and lists only the first findings", async () => {
    await using api = await openApi();
    await api.send(creation(dataset(model({ simplify: "often" }))));
    expect((await api.latest()).reason).toBe(
      'send one of never, always, auto as /models(0)/simplify: got "often"',
    );
    await api.send(creation(dataset(model({ views: Array.from({ length: 1000 }, () => ({})) }))));
    expect((await api.latest()).reason).toMatch(
      /^add \/models\(0\)\/views\(0\)\/name: it is missing; .*; and 995 more$/,
    );
    const views = [{ name: "a".repeat(1_000_000), guideViewPosition: { rotation: [], translation: [] } }];
    const states = Array.from({ length: 2000 }, (_, index) => `${index}`);
    const undeclared = model({
      stateBasedConfigurationJsonString: '{"states":{}}',
      views: views.map((view) => ({ ...view, states })),
    });
    const long = await api.send(creation(dataset(undeclared)));
    expect(validationMessages(long)).toHaveLength(1000);
    expect(long.body.length).toBeLessThan(10_000_000);
  });
});

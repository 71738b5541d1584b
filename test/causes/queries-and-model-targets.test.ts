import { featureMatcher, samplePicture } from "mock-cloud-reco";
import { describe } from "vitest";
import { claiming } from "../support/claimed-size.ts";
import { type Form, image, producesCodes, type Scene } from "./scene.ts";

const query = (form: Form) => (scene: Scene) => scene.query(form);
const boundary = { "Content-Type": "multipart/form-data; boundary=b0undary" };
const rawForm = (body: string | Buffer) => (scene: Scene) => scene.query({}, { body, headers: boundary });

const part = (name: string, content: string) =>
  `--b0undary\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`;

describe("the form of a query", () => {
  producesCodes({
    "boundary.absent": (scene) =>
      scene.query(undefined, { headers: { "Content-Type": "multipart/form-data; boundary=another" } }),
    "form.disposition": rawForm("--b0undary\r\n\r\nx\r\n--b0undary--\r\n"),
    "form.parts": rawForm(`${part("image", "x").repeat(2000)}--b0undary--\r\n`),
    "form.fields": query({ image, maxNumResults: "1" }),
    "image.missing": query({ max_num_results: "1" }),
    "image.no-file": rawForm(`${part("image", "137,80,78")}--b0undary--\r\n`),
    "image.cut-off": rawForm(
      Buffer.concat([
        Buffer.from(part("image", "").replace('"image"', '"image"; filename="a"').trimEnd()),
        Buffer.from("\r\n\r\n"),
        image.subarray(0, 60),
      ]),
    ),
    "max-results.wrong": query({ image, max_num_results: "0" }),
    "target-data.wrong": query({ image, include_target_data: "some" }),
  });
});

describe("what a query says of each target", () => {
  producesCodes({
    "target.matched": async (scene) => {
      await scene.add();
      await scene.query();
    },
    "target.beyond": async (scene) => {
      await scene.add();
      await scene.add({ name: "other" });
      await scene.query();
    },
    "target.unlike": async (scene) => {
      await scene.add({ image: (await samplePicture(1)).toString("base64") });
      await scene.query({ image: await samplePicture(2) });
    },
    "target.inactive": async (scene) => {
      await scene.add({ active_flag: false });
      await scene.query();
    },
    "gzip.unasked": (scene) => scene.query(undefined, { headers: { "Accept-Encoding": "identity" } }),
    "target.not-compared": async (scene) => {
      const { mock, database } = scene;
      for (let at = 0; at < 40; at += 1)
        await mock.addTarget(database, { name: `${at}`, image: await samplePicture(1), processed: true });
      await scene.query({ image: await samplePicture(1) });
    },
  });
});

describe("a query of a mock with its own matcher, rater or time of processing", () => {
  producesCodes(
    {
      "target.unscored": async (scene) => {
        await scene.add();
        await scene.query();
      },
    },
    { queryMatcher: () => null },
  );
  producesCodes(
    {
      "target.unrated": async (scene) => {
        await scene.add();
        await scene.query();
      },
    },
    { targetRater: () => 0 },
  );
  producesCodes(
    {
      "target.waiting": async (scene) => {
        await scene.add();
        await scene.query();
      },
    },
    { processingTimeSeconds: 10 },
  );
  producesCodes(
    {
      "picture.unreadable": async (scene) => {
        await scene.add();
        await scene.query({ image: await claiming(20_000, 10_000) });
      },
    },
    { queryMatcher: featureMatcher },
  );
  producesCodes(
    {
      "emulator.failed": async (scene) => {
        await scene.add();
        await scene.query();
      },
    },
    {
      queryMatcher: () => {
        throw new Error("no model loaded");
      },
    },
  );
});

const DATASETS = "/modeltargets/datasets";
const MODEL = { name: "m", cadDataUrl: "https://cad.test/a.glb", views: [{ name: "v" }] };
const dataset = (changes: object = {}) => ({ name: "d", targetSdk: "10.18", models: [MODEL], ...changes });

const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;

async function tokenOf(scene: Scene, scope = ""): Promise<string> {
  const got = await asked(scope === "" ? {} : { scope })(scene);
  const { access_token: token } = JSON.parse(got.text);
  return String(token);
}

const asked =
  (
    fields: Readonly<Record<string, string>>,
    authorization: string | null = basic("client-id", "client-secret"),
  ) =>
  (scene: Scene) =>
    scene.raw(`${scene.mock.urls.modelTarget}/oauth2/token`, {
      method: "POST",
      headers: {
        "Content-Type": "application/x-www-form-urlencoded",
        ...(authorization !== null && { Authorization: authorization }),
      },
      body: new URLSearchParams(fields).toString(),
    });

const request =
  (method: string, path: string, body?: unknown, authorization?: string) => async (scene: Scene) =>
    scene.raw(scene.mock.urls.modelTarget + path, {
      method,
      headers: {
        "Content-Type": "application/json",
        Authorization: authorization ?? `Bearer ${await tokenOf(scene)}`,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });

const created = (changes: object) => request("POST", DATASETS, dataset(changes));
const model = (changes: object) => created({ models: [{ ...MODEL, ...changes }] });

const creating = async (scene: Scene) => {
  const { uuid } = JSON.parse((await created({})(scene)).text);
  await request("GET", `${DATASETS}/${uuid}/dataset`)(scene);
};

describe("OAuth 2.0 and Model Targets", () => {
  producesCodes({
    "token.missing": request("POST", DATASETS, dataset(), ""),
    "token.malformed": request("POST", DATASETS, dataset(), "Bearer undefined"),
    "scope.missing": async (scene) =>
      request(
        "POST",
        DATASETS,
        dataset(),
        `Bearer ${await tokenOf(scene, "oauth2.clientcredentials.all")}`,
      )(scene),
    "grant.unknown": asked({ grant_type: "refresh_token" }),
    "form.too-large": asked({ x: "x".repeat(2 ** 18) }),
    "client.missing": asked({}, null),
    "client.swapped": asked({}, basic("client-secret", "client-id")),
    "client.secret": asked({}, basic("client-id", "another")),
    "client.unknown": asked({}, basic("another", "client-secret")),
    "user.missing": asked({ grant_type: "password" }),
    "user.password": asked({ grant_type: "password", username: "user@example.com", password: "x" }),
    "user.unknown": asked({ grant_type: "password", username: "nobody", password: "x" }),
    "scope.lacking": asked({ scope: "unknown" }),
    "scopes.body": request("POST", "/oauth2/clientcredentials", "[]"),
    "scopes.type": request("POST", "/oauth2/clientcredentials", { scopes: "all" }),
    "credential.unknown": request("DELETE", "/oauth2/clientcredentials/unknown"),
    "quota.credentials": async (scene) => {
      for (let at = 0; at < 101; at += 1)
        await request("POST", "/oauth2/clientcredentials", { scopes: [] })(scene);
    },
    "dataset.missing": request("POST", DATASETS, {}),
    "dataset.type": created({ name: 5 }),
    "dataset.models": created({ models: [] }),
    "dataset.source": model({ cadDataBlob: "YQ==" }),
    "dataset.value": model({ simplify: "sometimes" }),
    "dataset.configuration": model({
      stateBasedConfigurationJsonString: "no JSON",
      views: [{ name: "v", guideViewPosition: { rotation: [0], translation: [0] } }],
    }),
    "dataset.stateless": model({ views: [{ name: "v", states: ["a"] }] }),
    "dataset.states": model({
      stateBasedConfigurationJsonString: '{"states":{}}',
      views: [{ name: "v", states: ["a"], guideViewPosition: { rotation: [0], translation: [0] } }],
    }),
    "dataset.unknown": request("GET", `${DATASETS}/unknown/status`),
    "dataset.cad-data": model({ cadDataUrl: "./model.glb" }),
  });
  producesCodes({ "dataset.training": creating }, { processingTimeSeconds: 10 });
  producesCodes({ "dataset.failed": creating }, { modelTargetGenerationFailure: {} });
  producesCodes({ "quota.trainings": created({}) }, { modelTargetTrainingAllowanceExceeded: true });
  producesCodes(
    {
      "dataset.names": request("POST", "/modeltargets/advancedDatasets", dataset({ models: [MODEL, MODEL] })),
      "dataset.unsupported": model({ motionHint: "static" }),
    },
    { profile: "vuforia" },
  );
  producesCodes(
    { "client.form-encoded": asked({}, basic("a%20b", "s")) },
    { modelTargetClient: { id: "a b", secret: "s" } },
  );
});

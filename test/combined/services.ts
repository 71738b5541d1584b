import fc from "fast-check";
import type { Model } from "./model.ts";
import { always, type Command, command, expectSame, FAULT_STATUS, manage, type Real, send } from "./real.ts";
import { type Keys, PROCESSING_SECONDS } from "./state.ts";

/* The other services: VuMark instances, Model Target datasets and reports. */

const addMarks = fc.constant(
  command(
    "addVuMarkDatabase(marks)",
    ({ state }) => state.marks.length === 0,
    async ({ state }, real) => {
      const fields = { database_name: "marks" };
      const keys = await manage<Keys>(real, "POST", "/vumark_databases", fields);
      const template = { name: "label", processing_time_seconds: 0 };
      const path = "/vumark_databases/marks/vumark_targets";
      const { target_id } = await manage<{ readonly target_id: string }>(real, "POST", path, template);
      state.marks.push({ name: "marks", keys, template: target_id });
    },
  ),
);

const deleteMarks = fc.constant(
  command(
    "deleteDatabase(marks)",
    ({ state }) => state.marks.length > 0,
    async ({ state }, real) => {
      await manage(real, "DELETE", "/vumark_databases/marks");
      state.marks = [];
    },
  ),
);

/** Faults of any database, and what the operation then does. */
const instance = fc.constantFrom("label", "").map((id) =>
  command(
    `generateInstance(${JSON.stringify(id)})`,
    ({ state }) => state.marks.length > 0,
    async (model, real) => {
      const [marks] = model.state.marks;
      if (marks === undefined) return;
      const fault = model.applyFault("generateInstance", marks.name);
      const own = id === "" ? 422 : 200;
      const path = `/targets/${marks.template}/instances`;
      const headers = { accept: "image/svg+xml" };
      const answer = await send(
        real,
        marks.keys,
        { method: "POST", path, body: { instance_id: id }, headers },
        model.state.now,
      );
      const isReplaced = fault === "answer" || fault === "executed";
      expectSame(answer.status, isReplaced ? FAULT_STATUS : own, "status of generateInstance");
      model.record("generateInstance", {
        fault,
        refused: fault !== "answer" && own >= 400 ? own : undefined,
      });
    },
  ),
);

const CLIENT = { client_id: "client", client_secret: "password" };

async function bearer({
  world: { send: fetch, urls },
}: Real): Promise<{ readonly status: number; readonly token: string }> {
  const basic = Buffer.from(`${CLIENT.client_id}:${CLIENT.client_secret}`).toString("base64");
  const response = await fetch(`${urls.target}/oauth2/token`, {
    method: "POST",
    headers: { authorization: `Basic ${basic}`, "content-type": "application/x-www-form-urlencoded" },
    body: "grant_type=client_credentials",
  });
  const { access_token = "" }: { readonly access_token?: string } = JSON.parse(
    (await response.text()) || "{}",
  );
  return { status: response.status, token: access_token };
}

const addClient = fc.constant(
  command(
    "addClientCredential()",
    ({ state }) => !state.hasClient,
    async ({ state }, real) => {
      const fields = { ...CLIENT, scopes: ["modeltargets.all"] };
      await manage(real, "POST", "/oauth2_client_credentials", fields);
      state.hasClient = true;
    },
  ),
);

const token = fc.constant(
  command("token()", always, async (model, real) => {
    const { status } = await bearer(real);
    const wanted = model.state.hasClient ? 200 : 401;
    expectSame(status, wanted, "status of token");
    model.record("token", { fault: undefined, refused: wanted === 200 ? undefined : wanted });
  }),
);

/** Asks for something with a token of its own. */
async function asked(
  model: Model,
  real: Real,
  [operation, method, path, body]: readonly [string, string, string, object?],
): Promise<{ readonly status: number; readonly text: string }> {
  const { token: own } = await bearer(real);
  model.record("token", { fault: undefined, refused: undefined });
  const { send: fetch, urls } = real.world;
  const response = await fetch(urls.target + path, {
    method,
    headers: { authorization: `Bearer ${own}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const { status } = response;
  model.record(operation, { fault: undefined, refused: status >= 400 ? status : undefined });
  return { status, text };
}

const DATASETS = "/modeltargets/datasets";

const createDataset = fc.constant(
  command(
    "createDataset()",
    ({ state }) => state.hasClient,
    async (model, real) => {
      const models = [{ name: "engine", cadDataUrl: "https://cad.example/engine.glb", views: [] }];
      const body = { name: "machine room", targetSdk: "10.9", models };
      const { status, text } = await asked(model, real, ["createDataset", "POST", DATASETS, body]);
      expectSame(status, 201, `status of createDataset, ${text}`);
      const { uuid }: { readonly uuid: string } = JSON.parse(text);
      model.state.datasets.push({ id: uuid, created: model.state.now, processed: false });
    },
  ),
);

const useDataset = fc.tuple(fc.nat(3), fc.boolean()).map(([index, deletes]) =>
  command(
    `${deletes ? "deleteDataset" : "datasetStatus"}(#${index})`,
    ({ state }) => state.hasClient && state.datasets.length > 0,
    async (model, real) => {
      const { state } = model;
      const dataset = state.datasets[index % state.datasets.length];
      if (dataset === undefined) return;
      if (deletes) {
        const path = `${DATASETS}/${dataset.id}`;
        const { status } = await asked(model, real, ["deleteDataset", "DELETE", path]);
        expectSame(status, 200, "status of deleteDataset");
        state.datasets = state.datasets.filter((each) => each !== dataset);
        return;
      }
      const path = `${DATASETS}/${dataset.id}/status`;
      const { text } = await asked(model, real, ["datasetStatus", "GET", path]);
      const { status }: { readonly status: string } = JSON.parse(text);
      const isDone =
        dataset.processed || Math.max(0, state.now - dataset.created) >= PROCESSING_SECONDS * 1000;
      expectSame(status, isDone ? "done" : "processing", "status of a dataset");
    },
  ),
);

export const services: readonly fc.Arbitrary<Command>[] = [
  addMarks,
  deleteMarks,
  instance,
  instance,
  addClient,
  token,
  createDataset,
  useDataset,
];

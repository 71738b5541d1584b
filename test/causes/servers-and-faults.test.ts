import { describe } from "vitest";
import { image, producesCodes, type Scene } from "./scene.ts";

const list = (scene: Scene) => scene.target("GET", "/targets");

describe("the target manager", () => {
  producesCodes({
    "fields.refused": (scene) => scene.manager("POST", "/cloud_databases", { request_quota: "many" }),
    "database.unknown": (scene) => scene.manager("DELETE", "/cloud_databases/unknown"),
    "database.taken": (scene) => scene.manager("POST", "/cloud_databases", { database_name: "shop" }),
    "target-id.taken": async (scene) => {
      const body = { name: "a", width: 1, image_base64: image.toString("base64"), target_id: "a".repeat(32) };
      await scene.manager("POST", "/cloud_databases/shop/targets", body);
      await scene.manager("POST", "/cloud_databases/shop/targets", { ...body, name: "b" });
    },
    "resource.unknown": (scene) => scene.manager("DELETE", "/faults/unknown"),
  });
});

describe("paths", () => {
  producesCodes({
    "path.unknown": (scene) => scene.target("GET", "/target"),
    "path.other-api": (scene) => scene.target("POST", "/v1/query"),
    "method.unknown": (scene) => scene.target("PATCH", "/targets"),
    "preflight.unserved": (scene) =>
      scene.target("OPTIONS", "/targets", { headers: { "Access-Control-Request-Method": "GET" } }),
  });
});

describe("faults", () => {
  producesCodes({
    "fault.answered": async (scene) => {
      scene.mock.addFault({ response: { status: 503 } });
      await list(scene);
    },
    "fault.reset": async (scene) => {
      scene.mock.addFault({ resetConnection: true });
      await list(scene);
    },
    "fault.delayed": async (scene) => {
      scene.mock.addFault({ delaySeconds: 0.001 });
      await list(scene);
    },
  });
  producesCodes({ "fault.query": (scene) => scene.query() }, { cloudQueryFailure: { status: 503 } });
  producesCodes(
    {
      "fault.model-target": (scene) =>
        scene.raw(`${scene.mock.urls.modelTarget}/modeltargets/datasets`, { method: "POST" }),
    },
    { modelTargetFailure: { status: 503 } },
  );
  producesCodes(
    { "fault.instance": (scene) => scene.target("POST", "/targets/a/instances", { body: {} }) },
    { instanceGenerationFailure: "QuotaExceeded" },
  );
});

describe("the option realism", () => {
  producesCodes(
    {
      "realism.not-visible": async (scene) => scene.target("GET", `/targets/${await scene.added()}`),
      "realism.still-found": async (scene) => {
        const id = await scene.added();
        scene.clock.advance(60);
        await scene.target("DELETE", `/targets/${id}`);
        await scene.query();
      },
      "realism.not-counted": async (scene) => {
        await scene.added();
        await scene.target("GET", "/summary");
      },
      "realism.accepted": async (scene) => {
        scene.mock.updateDatabase(scene.database, { requestsPerSecondLimit: 1 });
        await list(scene);
        await list(scene);
      },
    },
    { realism: { visibilityLagSeconds: 1, deletionLagSeconds: 5, summaryLagSeconds: 120, looseLimits: 1 } },
  );
  producesCodes(
    {
      "realism.gateway": (scene) =>
        scene.raw(`${scene.mock.urls.modelTarget}/modeltargets/datasets`, { method: "POST" }),
    },
    { realism: { gatewayErrorRate: 1 } },
  );
});

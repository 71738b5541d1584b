import { describe } from "vitest";
import { breakChecksum, makePng, palette, pngChunk } from "../support/png.ts";
import { image, producesCodes, type Scene } from "./scene.ts";

const at = (scene: Scene, url: string) => scene.raw(url.replace(/^https?:\/\/[^/]+/, scene.mock.urls.target));

/** A PNG whose header, with the right checksum, declares another size. */
function declaring(width: number, height: number): Buffer {
  const size = Buffer.from(image.subarray(16, 29));
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([image.subarray(0, 8), pngChunk("IHDR", size), image.subarray(33)]);
}

const withImage = (bytes: Buffer | string) => (scene: Scene) =>
  scene.add({ image: Buffer.from(bytes).toString("base64") });

describe("pictures", () => {
  producesCodes({
    "image.empty": withImage(""),
    "image.text-encoded": withImage("\ufffdPNG\r\n"),
    "image.base64": withImage(image.toString("base64")),
    "image.hex": withImage(image.toString("hex")),
    "image.data-uri": withImage(`data:image/png;base64,${image.toString("base64")}`),
    "image.format": withImage("GIF89a"),
    "image.download": withImage("<html></html>"),
    "image.unset": (scene) => scene.query({ image: "undefined" }),
    "image.file-name": withImage("./picture.png"),
    "image.text": withImage("no picture"),
    "image.unknown": withImage(Buffer.from([1, 2, 3, 4, 5, 6, 7, 8].concat(Array(80).fill(7)))),
    "image.truncated": withImage(image.subarray(0, image.length - 20)),
    "image.damaged": withImage(breakChecksum(image, "IDAT")),
    "image.colours": withImage(makePng({ colourType: 3, before: [palette] })),
    "image.pixels": withImage(declaring(20_000, 20_000)),
    "image.rows": withImage(declaring(10, 300_001)),
    "image.sides": (scene) => scene.query({ image: declaring(30_001, 1) }),
    "image.too-large": (scene) => scene.query({ image: Buffer.concat([image, Buffer.alloc(2 ** 21)]) }),
  });
});

const soon = { processingTimeSeconds: 10 };

describe("targets", () => {
  producesCodes({
    "rate.reached": async (scene) => {
      scene.mock.updateDatabase(scene.database, { requestsPerSecondLimit: 1 });
      await scene.target("GET", "/targets");
      await scene.target("GET", "/targets");
    },
    "quota.requests": async (scene) => {
      scene.mock.updateDatabase(scene.database, { requestQuota: 0 });
      await scene.target("GET", "/targets");
    },
    "quota.targets": async (scene) => {
      scene.mock.updateDatabase(scene.database, { targetQuota: 0 });
      await scene.add();
    },
    "database.state": async (scene) => {
      scene.mock.updateDatabase(scene.database, { stateName: "PROJECT_INACTIVE" });
      await scene.add();
    },
    "target.unknown": (scene) => scene.target("GET", "/targets/unknown"),
    "target.elsewhere": async (scene) => {
      const id = await scene.added();
      const { serverAccessKey: accessKey, serverSecretKey: secretKey } = scene.mock.addCloudDatabase();
      await scene.target("GET", `/targets/${id}`, { accessKey, secretKey });
    },
    "target.failed": async (scene) => {
      const { targetId } = await scene.mock.addTarget(scene.database, {
        image,
        processed: true,
        status: "failed",
      });
      await scene.target("GET", `/targets/${targetId}`);
    },
    "duplicates.passed-over": async (scene) => {
      const id = await scene.added();
      await scene.add({ name: "other", active_flag: false });
      await scene.target("GET", `/duplicates/${id}`);
    },
    "database-id.wrong": (scene) =>
      scene.target("POST", "/imagetargets/databases/unknown/reports/recoCounts", {
        body: { month: "2026-11" },
      }),
    "month.wrong": (scene) => reported(scene, "2000-01"),
    "url.parameters": (scene) => at(scene, "https://x/reports/a/b.csv"),
    "url.malformed": async (scene) => at(scene, (await urlOf(scene)).replace(/Date=\w+/, "Date=today")),
    "url.expired": async (scene) => {
      const url = await urlOf(scene);
      scene.clock.advance(1_000_000);
      await at(scene, url);
    },
    "report.unknown": async (scene) =>
      at(scene, (await urlOf(scene)).replace(/\/reports\/[^/]+/, "/reports/other")),
  });
});

const reported = (scene: Scene, month: string) =>
  scene.target("POST", `/imagetargets/databases/${scene.database.databaseId}/reports/recoCounts`, {
    body: { month },
  });

async function urlOf(scene: Scene): Promise<string> {
  const { presigned_url: url } = JSON.parse((await reported(scene, "2026-11")).text);
  return String(url);
}

describe("what is still processing", () => {
  producesCodes(
    {
      "target.status": async (scene) => {
        const id = await scene.added();
        await scene.target("PUT", `/targets/${id}`, { body: { width: 2 } });
      },
      "target.processing": async (scene) => scene.target("DELETE", `/targets/${await scene.added()}`),
      "report.processing": async (scene) => at(scene, await urlOf(scene)),
    },
    soon,
  );
});

const instance =
  (body: unknown, accept = "image/png") =>
  async (scene: Scene) => {
    const { mock } = scene;
    const database = mock.addVuMarkDatabase({ targets: [{ name: "label", processingTimeSeconds: 0 }] });
    const { targetId = "" } = database.targets[0] ?? {};
    const { serverAccessKey: accessKey, serverSecretKey: secretKey } = database;
    await scene.target("POST", `/targets/${targetId}/instances`, {
      ...{ accessKey, secretKey, body },
      headers: { Accept: accept },
    });
  };

describe("VuMark instances", () => {
  producesCodes({
    "accept.format": instance({ instance_id: "1" }, "image/jpeg"),
    "instance-id.type": instance({ instance_id: 5 }),
    "instance-id.length": instance({ instance_id: "" }),
    "database.not-vumark": async (scene) => {
      const id = await scene.added();
      await scene.target("POST", `/targets/${id}/instances`, {
        body: { instance_id: "1" },
        headers: { Accept: "image/png" },
      });
    },
  });
});

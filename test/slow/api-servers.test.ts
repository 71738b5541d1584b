import { expect, onTestFinished, test } from "vitest";
import { keys, named, optionsWith } from "../servers/three-servers.ts";
import { manage, sendSigned } from "../support/answers.ts";
import { reached } from "../support/reached.ts";
import { startSeparateServers } from "../support/separate-servers.ts";

const LARGEST_BODY = 64 * 2 ** 20;

test("a body of 64 MiB passes through an API server unchanged, and one of a byte more does not", async () => {
  const listen = { host: "127.0.0.1", port: 0 };
  const servers = await startSeparateServers({
    listen: { manager: listen, target: listen, query: listen },
    options: optionsWith({ responseDelaySeconds: 0 }),
  });
  onTestFinished(() => servers.close(0));
  const service = reached(servers.target.url, servers.query.url, servers.manager.url);
  await manage(service, "POST", "/cloud_databases", named);
  const add = async (bytes: number) => {
    const body = { name: "poster", width: 1, image: "", application_metadata: "" };
    const application_metadata = "A".repeat(bytes - JSON.stringify(body).length);
    return sendSigned(service, keys, {
      method: "POST",
      path: "/targets",
      body: { ...body, application_metadata },
    });
  };
  // Later than the check of the signature, which covers every byte.
  expect((await add(LARGEST_BODY)).fields.result_code).toBe("MetadataTooLarge");
  expect((await servers.requests()).at(-1)?.request.body.size).toBe(LARGEST_BODY);
  expect((await add(LARGEST_BODY + 1)).status).toBe(413);
});

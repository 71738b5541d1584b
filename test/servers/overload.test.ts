import { describe, expect, test } from "vitest";
import { start as startCommand } from "../cli/command.ts";
import { delaying, SLOW, WAYS } from "./delaying.ts";

const PROBE = { headers: { "User-Agent": "kube-probe/1.31" } };

describe.each(Object.entries(WAYS))("servers in %s that answer as much as they can", (_name, start) => {
  test("answer health checks and the manager's API, refuse others at once, and record it", async () => {
    const more = { responseDelaySeconds: 600 };
    const { connect, control, delays, servers, status, begun } = await delaying(start, more, {
      api: 2,
      manager: 2,
    });
    for (let count = 1; count <= 2; count += 1) {
      await connect();
      await begun(count);
    }
    expect(await status("/targets")).toBe(503);
    const printed = (await startCommand(["healthcheck", servers.target.url]).finished).printed.trim();
    expect(printed).toBe(`${servers.target.url}/ is healthy: 404`);
    const { requests } = (await control("GET", "/requests")).fields;
    expect(requests).toMatchObject([
      { path: "/summary", status: 401 },
      { path: "/summary", status: 401 },
      { path: "/targets", status: 503, refused_by: "overload", cause: { code: "server.overloaded" } },
    ]);
    expect(delays.length).toBe(2);
  });

  test("let faults be deleted, and health be checked, when requests to the manager are delayed", async () => {
    const { addFault, control, servers, begun } = await delaying(start, {}, { manager: 1 });
    const id = await addFault({ ...SLOW, operation: "manager.listDatasets" });
    const waiting = control("GET", "/model_target_datasets");
    await begun(1);
    expect((await control("GET", "/oauth2_client_credentials")).status).toBe(503);
    expect((await fetch(`${servers.manager.url}/readyz`, PROBE)).status).toBe(200);
    expect((await control("DELETE", `/faults/${id}`)).status).toBe(204);
    expect((await waiting).status).toBe(200);
    expect((await control("GET", "/oauth2_client_credentials")).status).toBe(200);
  });

  test("have places of their own for each server", async () => {
    const { addFault, connect, servers, begun } = await delaying(start, {}, { api: 1, manager: 1 });
    await addFault();
    await connect();
    await begun(1);
    expect((await fetch(`${servers.query.url}/v1/query`, { method: "POST" })).status).toBe(401);
  });
});

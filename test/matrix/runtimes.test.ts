import { describe, expect, it } from "vitest";
import { copySamples, inModules, runProgram } from "../package/run.ts";

const RUNTIMES = [
  { name: "Bun", run: ["run"] },
  { name: "Deno", run: ["run", "--allow-all"] },
];

const CLIENTS = ["fetch", "fetch of a Request", "node:https", "a captured https.get", "axios", "got"];

describe.each(RUNTIMES)("$name", ({ name, run }) => {
  const program = name.toLowerCase();
  const path = inModules(`.bin/${program}`);

  it.each([false, true])(
    "reaches the mock by every way that the guide lists; with register: %s",
    async (isRegistered) => {
      await copySamples("runtimes");
      const args = [...run, ...(isRegistered ? ["--preload", "./preloaded.mjs"] : []), "runtime.mjs"];
      const environment: Record<string, string> = isRegistered ? { REGISTERED: "1" } : {};
      // Its own fetch passes by the trap of this suite; that no name server is there has to do.
      const { code, printed } = await runProgram(path, "runtimes", args, {
        ...environment,
        NODE_OPTIONS: "",
      });
      expect(code, printed).toBe(0);
      const clients = isRegistered ? [...CLIENTS, "a captured fetch"] : CLIENTS;
      const statuses = Object.fromEntries(clients.map((client) => [client, 200]));
      const all = {
        statuses,
        passed: [200, 200],
        blocked: [expect.stringContaining("unhandledRequests"), expect.stringContaining("unhandledRequests")],
        isRestored: true,
        reached: clients.length,
        withoutHeaders: 0,
      };
      expect(JSON.parse(printed.split("\n").at(-1) ?? "")).toEqual({
        unmocked: isRegistered ? expect.stringContaining('"mock-cloud-reco/register" blocks') : "",
        fetch: [200, 1],
        servers: 1,
        nock: all,
        sockets: all,
      });
    },
  );
});

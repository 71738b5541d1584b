import { describe, expect, it } from "vitest";
import { copySamples, createProject, inModules, runProgram } from "../package/run.ts";

const RUNTIMES = [
  { name: "Bun", run: ["run"] },
  { name: "Deno", run: ["run", "--allow-all"] },
];

const CLIENTS = ["fetch", "fetch of a Request", "node:https", "a captured https.get", "axios", "got"];

it("Deno without any network has a mock, which finds a picture", async () => {
  await copySamples("permissions", "permissions-deno");
  const allowed = ["--deny-net", "--allow-env", "--allow-read", "--allow-ffi", "--no-prompt"];
  const args = ["run", ...allowed, "mock.mjs"];
  const { code, printed } = await runProgram(inModules(".bin/deno"), "permissions-deno", args, {
    NODE_OPTIONS: "",
  });
  expect(code, printed).toBe(0);
  const found = ["Success", 1];
  expect(JSON.parse(printed.split("\n").at(-1) ?? "")).toEqual({ nock: found, sockets: found });
});

describe("the handlers for MSW", () => {
  // MSW 3 misses the request, which Deno then refuses. Bun would send it.
  it.each([
    { name: "msw", program: "bun", run: ["run"], works: true },
    { name: "msw", program: "deno", run: ["run", "--allow-env", "--allow-read", "--deny-net"], works: true },
    {
      name: "msw-3",
      program: "deno",
      run: ["run", "--allow-env", "--allow-read", "--deny-net"],
      works: false,
    },
  ])("of $name in $program answer as the guide says", async ({ name, program, run, works }) => {
    const project = `handlers-${name}-${program}`;
    await createProject(project, { msw: name });
    await copySamples("neighbours", project);
    const args = [...run, "handlers.mjs", "ours"];
    const { code, printed } = await runProgram(inModules(`.bin/${program}`), project, args, {
      NODE_OPTIONS: "",
    });
    expect(code === 0, printed).toBe(works);
    if (works) expect(JSON.parse(printed.split("\n").at(-1) ?? "")).toContain("pictures");
  });
});

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

import { randomInt } from "node:crypto";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { freePorts } from "../support/free-ports.ts";
import { type Environment, type Served, start, summary } from "./command.ts";

const example = (file: string) =>
  readFile(new URL(`../../examples/containers/${file}`, import.meta.url), "utf8");

interface Service {
  readonly name: string;
  readonly ports: readonly { readonly name: string; readonly port: number }[];
}

/** The variables that a kubelet adds to each container of a namespace with these Services. */
const kubeletVariables = (services: readonly Service[], addressOf = (index: number) => `10.96.0.${index}`) =>
  Object.fromEntries(
    services.flatMap(({ name, ports }, index) => {
      const [prefix, address] = [name.toUpperCase().replaceAll("-", "_"), addressOf(index + 1)];
      const urlOf = (port: number) => `tcp://${address.includes(":") ? `[${address}]` : address}:${port}`;
      const [first] = ports;
      return [
        [`${prefix}_SERVICE_HOST`, address],
        [`${prefix}_SERVICE_PORT`, String(first?.port)],
        [`${prefix}_PORT`, urlOf(first?.port ?? 0)],
        ...ports.flatMap(({ name, port }) => [
          [`${prefix}_SERVICE_PORT_${name.toUpperCase()}`, String(port)],
          [`${prefix}_PORT_${port}_TCP`, urlOf(port)],
          [`${prefix}_PORT_${port}_TCP_PROTO`, "tcp"],
          [`${prefix}_PORT_${port}_TCP_PORT`, String(port)],
          [`${prefix}_PORT_${port}_TCP_ADDR`, address],
        ]),
      ];
    }),
  );

const named = (name: string, port: number): Service => ({ name, ports: [{ name: "http", port }] });

/** The Services of the manifest, and the one that each cluster has. */
async function manifestServices(): Promise<readonly Service[]> {
  const documents = parseAllDocuments(await example("kubernetes.yaml")).map((each) => each.toJS());
  const services = documents.filter(({ kind }) => kind === "Service");
  return [
    { name: "kubernetes", ports: [{ name: "https", port: 443 }] },
    ...services.map(({ metadata, spec }) => ({ name: metadata.name, ports: spec.ports })),
  ];
}

/** The variables of the image, which those of the kubelet replace. */
async function imageVariables(): Promise<Environment> {
  const [, variables = ""] = /^ENV (.*)$/m.exec(await example("Dockerfile")) ?? [];
  return Object.fromEntries(variables.split(" ").map((each) => each.split("=")));
}

/** An address of this machine on which nothing listens: the ports are fixed. */
const ownAddress = () => `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`;

/** The warnings about links that a command logged. */
const warningsIn = (log: string): readonly string[] =>
  log
    .split("\n")
    .filter((line) => line.includes("enableServiceLinks"))
    .map((line) => {
      const { level, message } = JSON.parse(line);
      expect(level).toBe("warn");
      return message;
    });

const portsOf = ({ urls }: Served) =>
  [urls.target, urls.query, urls.manager].map((url) => Number(new URL(url).port));

/** Starts `serve`, reaches each of its servers and stops it. Returns its ports and its warnings. */
async function serveWith(environment: Environment) {
  const MOCK_CLOUD_RECO_HOST = ownAddress();
  const command = start(["serve", "--json"], { ...environment, MOCK_CLOUD_RECO_HOST });
  const served: Served = JSON.parse(await command.printed());
  const { urls, database } = served;
  const health = await start(["healthcheck"], { ...environment, MOCK_CLOUD_RECO_HOST }).finished;
  const answers = [
    await summary(urls.target, database.server_access_key, database.server_secret_key),
    await fetch(`${urls.query}/v1/query`, { method: "POST" }),
    await fetch(`${urls.manager}/readyz`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 401, 200]);
  const { complained } = await command.stop();
  return { ports: portsOf(served), warnings: warningsIn(complained), health: health.code };
}

// macOS has only 127.0.0.1, where something may listen.
describe.skipIf(process.platform === "darwin")("variables by which Kubernetes links Services", () => {
  test("serve listens on the image's ports beside the Services of the manifest", async () => {
    const environment = { ...(await imageVariables()), ...kubeletVariables(await manifestServices()) };
    expect(environment.QUERY_PORT).toBe("tcp://10.96.0.3:5001");
    const { ports, warnings, health } = await serveWith(environment);
    expect(ports).toEqual([5000, 5001, 5002]);
    expect(warnings).toEqual([expect.stringMatching(/^ignored links .*: QUERY_PORT; /)]);
    expect(health).toBe(0);
  });

  test.each<[string, readonly Service[]]>([
    ["without a prefix", ["target", "query", "manager"].map((name) => named(name, 80))],
    [
      "with the prefix",
      ["mock-cloud-reco-target", "mock-cloud-reco-query", "mock-cloud-reco-manager", "mock-cloud-reco"].map(
        (name) => named(name, 80),
      ),
    ],
  ])("serve listens on the image's ports if links hide all names %s", async (_, services) => {
    const links = kubeletVariables(services);
    const { ports, warnings, health } = await serveWith(links);
    expect(ports).toEqual([5000, 5001, 5002]);
    const names = services
      .slice(0, 3)
      .map(({ name }) => `${name.toUpperCase().replaceAll("-", "_")}_PORT`)
      .join(", ");
    expect(warnings).toEqual([expect.stringMatching(`^ignored links .*: ${names}; `)]);
    expect(health).toBe(0);
  });

  test("the setting's next name counts, and an option before all of them", async () => {
    const [target = 0, query = 0, manager = 0] = await freePorts(3);
    const links = kubeletVariables([named("mock-cloud-reco-target", 80), named("query", 80)]);
    const environment = { ...links, TARGET_PORT: String(target), MANAGER_PORT: String(manager) };
    const command = start(["serve", "--json", "--query-port", String(query)], environment);
    expect(portsOf(JSON.parse(await command.printed()))).toEqual([target, query, manager]);
    const { complained } = await command.stop();
    expect(warningsIn(complained)).toEqual([
      expect.stringMatching(/^ignored links .*: MOCK_CLOUD_RECO_TARGET_PORT; /),
    ]);
  });

  test("exec passes them on, and listens on free ports", async () => {
    const links = kubeletVariables([named("query", 80), named("mock-cloud-reco-query", 80)]);
    const script =
      'process.exit(process.env.QUERY_PORT?.startsWith("tcp:") && !process.env.VUFORIA_QUERY_URL?.endsWith(":5001") ? 7 : 8)';
    const args = ["exec", "--", process.execPath, "-e", script];
    const { code, complained } = await start(args, { ...process.env, ...links }).finished;
    expect(code).toBe(7);
    expect(warningsIn(complained)).toEqual([
      expect.stringMatching(/^ignored links .*: MOCK_CLOUD_RECO_QUERY_PORT; /),
    ]);
  });

  test.each(["10.96.0.9", "fd00:10:96::9"])(
    "each server of its own listens on 5000 beside %s",
    async (ip) => {
      const links = {
        ...kubeletVariables(await manifestServices(), () => ip),
        PORT: kubeletVariables([named("x", 8080)], () => ip).X_PORT,
      };
      const running = (role: string, more: Environment) => {
        const environment = { ...links, HOST: ownAddress(), ...more };
        return { command: start([role], environment), url: `http://${environment.HOST}:5000`, environment };
      };
      const manager = running("target-manager", {});
      await manager.command.printed();
      const TARGET_MANAGER_BASE_URL = manager.url;
      const apiServers = ["target-api", "query"].map((role) => running(role, { TARGET_MANAGER_BASE_URL }));
      for (const { command, url, environment } of [manager, ...apiServers]) {
        expect(await command.printed()).toContain(` ${url}\n`);
        expect((await start(["healthcheck"], environment).finished).printed).toContain(`${url}/ is healthy`);
      }
      expect((await fetch(`${apiServers[0]?.url}/summary`)).status).toBe(401);
      expect((await fetch(`${apiServers[1]?.url}/v1/query`, { method: "POST" })).status).toBe(401);
      for (const { command } of [...apiServers, manager]) {
        const { complained } = await command.stop();
        expect(warningsIn(complained)).toEqual([expect.stringMatching(/^ignored links .*: PORT; /)]);
      }
    },
  );

  test("a value that is no link is a wrong port, and the log's level silences the warning", async () => {
    const wrong = await start(["serve"], { QUERY_PORT: "tcp://" }).finished;
    expect(wrong).toMatchObject({
      code: 2,
      complained: expect.stringContaining("QUERY_PORT: expected a whole"),
    });
    const { warnings } = await serveWith({
      QUERY_PORT: "udp://10.0.0.1:53",
      MOCK_CLOUD_RECO_LOG_LEVEL: "error",
    });
    expect(warnings).toEqual([]);
  });
});

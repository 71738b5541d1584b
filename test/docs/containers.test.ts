import { readFile } from "node:fs/promises";
import { authorizationHeader, rfc1123Date } from "mock-cloud-reco";
import { startServers } from "mock-cloud-reco/server";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import * as z from "zod";
import { readSharedSettings } from "../../src/options/settings.ts";
import { codeBlocks } from "../support/code-blocks.ts";

const example = (file: string) =>
  readFile(new URL(`../../examples/containers/${file}`, import.meta.url), "utf8");

const IMAGE = "mock-cloud-reco";
const environment = z.record(z.string().regex(/^[A-Z_]+$/), z.string());

const compose = z.strictObject({
  name: z.literal(IMAGE),
  services: z.strictObject({
    vuforia: z.strictObject({
      image: z.literal(IMAGE),
      build: z.strictObject({
        context: z.literal("../.."),
        dockerfile: z.literal("examples/containers/Dockerfile"),
      }),
      read_only: z.literal(true),
      cap_drop: z.tuple([z.literal("ALL")]),
      ports: z.array(z.string()),
      environment,
    }),
  }),
});

/** The ports of the image's default command, by server. */
async function imagePorts() {
  const dockerfile = await example("Dockerfile");
  expect(/^CMD (.*)$/m.exec(dockerfile)?.[1]).toBe('["serve"]');
  const [, variables = ""] = /^ENV (.*)$/m.exec(dockerfile) ?? [];
  const given = Object.fromEntries(variables.split(" ").map((each) => each.split("=")));
  const settings = readSharedSettings(given);
  const { targetPort, queryPort, managerPort } = settings;
  expect(settings.host).toBe("0.0.0.0");
  const [, exposed] = /^EXPOSE (.*)$/m.exec(dockerfile) ?? [];
  expect(exposed).toBe(`${targetPort} ${queryPort} ${managerPort}`);
  return { target: Number(targetPort), query: Number(queryPort), manager: Number(managerPort) };
}

/** What an API server of Kubernetes accepts of these resources, as far as the manifest uses it. */
const label = z.string().regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/);
const labels = z.record(z.string().regex(/^app\.kubernetes\.io\/(name|part-of)$/), label);
const metadata = z.strictObject({ name: label, labels });
const port = z.int().min(1).max(65535);
const probe = {
  periodSeconds: z.int().min(1),
  timeoutSeconds: z.optional(z.int().min(1)),
  failureThreshold: z.optional(z.int().min(1)),
};
const httpProbe = z.strictObject({
  httpGet: z.strictObject({ path: z.string(), port: label }),
  ...probe,
});
const memory = z.string().regex(/^\d+[MG]i$/);
const container = z.strictObject({
  name: label,
  image: z.string(),
  imagePullPolicy: z.enum(["Always", "IfNotPresent", "Never"]),
  args: z.optional(z.array(z.string())),
  env: z.array(z.strictObject({ name: z.string(), value: z.string() })).default([]),
  ports: z.array(z.strictObject({ name: label.max(15), containerPort: port })),
  startupProbe: z.optional(httpProbe),
  livenessProbe: z.optional(httpProbe),
  readinessProbe: z.union([
    httpProbe,
    z.strictObject({ exec: z.strictObject({ command: z.array(z.string()) }), ...probe }),
  ]),
  resources: z.strictObject({
    requests: z.strictObject({ cpu: z.string().regex(/^\d+m$/), memory }),
    limits: z.strictObject({ memory }),
  }),
  securityContext: z.strictObject({
    runAsUser: z.int().min(1),
    runAsNonRoot: z.literal(true),
    readOnlyRootFilesystem: z.literal(true),
    allowPrivilegeEscalation: z.literal(false),
    capabilities: z.strictObject({ drop: z.tuple([z.literal("ALL")]) }),
  }),
});
const deployment = z.strictObject({
  apiVersion: z.literal("apps/v1"),
  kind: z.literal("Deployment"),
  metadata,
  spec: z.strictObject({
    replicas: z.int().min(1),
    strategy: z.optional(z.strictObject({ type: z.enum(["Recreate", "RollingUpdate"]) })),
    selector: z.strictObject({ matchLabels: labels }),
    template: z.strictObject({
      metadata: z.strictObject({ labels }),
      spec: z.strictObject({ enableServiceLinks: z.literal(false), containers: z.tuple([container]) }),
    }),
  }),
});
const service = z.strictObject({
  apiVersion: z.literal("v1"),
  kind: z.literal("Service"),
  metadata,
  spec: z.strictObject({
    selector: labels,
    ports: z.tuple([z.strictObject({ name: label, port, targetPort: label })]),
  }),
});

/** The settings of servers; an unknown one is no setting of any server, and is shown by its name. */
function settingsFrom<Read>(
  read: (given: Readonly<Record<string, string>>) => Read,
  given: Readonly<Record<string, string>>,
): Read {
  const settings = read(given);
  const unread = Object.keys(given).filter((name) => {
    const { [name]: _without, ...others } = given;
    try {
      return JSON.stringify(read(others)) === JSON.stringify(settings);
    } catch {
      // It is required.
      return false;
    }
  });
  expect(unread, "unused settings").toEqual([]);
  return settings;
}

test("the image runs the three servers on the ports that the protocol names", async () => {
  expect(await imagePorts()).toEqual({ target: 5000, query: 5001, manager: 5002 });
});

test("the compose file publishes the image's ports on this machine only, with settings that are read", async () => {
  const { vuforia } = compose.parse(parse(await example("compose.yaml"))).services;
  const ports = Object.values(await imagePorts());
  expect(vuforia.ports).toEqual(ports.map((one) => `127.0.0.1:${one}:${one}`));
  const { options } = settingsFrom(readSharedSettings, vuforia.environment);
  expect(options.serviceBaseUrl).toBe("http://localhost:5000/");
});

/** The one block of the guide in a language. */
async function block(language: string): Promise<string> {
  const found = codeBlocks(await example("README.md")).filter((one) => one.language === language);
  expect(found).toHaveLength(1);
  return found[0]?.text ?? "";
}

test("the job for GitHub Actions publishes the image's ports, and names them", async () => {
  const { target, query, manager } = await imagePorts();
  const { jobs } = parse(await block("yaml"));
  expect(jobs.test.services.vuforia.ports).toEqual([target, query, manager].map((one) => `${one}:${one}`));
  expect(jobs.test.steps.at(-1).env).toEqual({
    TARGET_API: `http://localhost:${target}`,
    QUERY_API: `http://localhost:${query}`,
    TARGET_MANAGER: `http://localhost:${manager}`,
  });
});

test("Testcontainers starts the image, and a database's keys sign a query", async () => {
  const ports = await imagePorts();
  await using servers = await startServers();
  const started: unknown[] = [];
  /** As the package `testcontainers`, whose containers need Docker: what the script calls, on servers of this process. */
  class GenericContainer {
    constructor(image: string) {
      started.push(image);
    }
    withExposedPorts(...exposed: number[]) {
      started.push(exposed);
      return this;
    }
    withWaitStrategy(strategy: unknown) {
      started.push(strategy);
      return this;
    }
    async start() {
      const mapped = new Map(
        (["target", "query", "manager"] as const).map((name) => [ports[name], new URL(servers.urls[name])]),
      );
      return {
        getHost: () => "127.0.0.1",
        getMappedPort: (port: number) => Number(mapped.get(port)?.port),
        stop: () => servers.stop(),
      };
    }
  }
  const Wait = { forHttp: (path: string, port: number) => ({ path, port }) };
  const script = (await block("js")).replace(/^import .*$/m, "").replaceAll("export const", "const");
  const { database, urls } = await new Function(
    "GenericContainer",
    "Wait",
    `return (async () => { ${script}\n return { database, urls, stop }; })()`,
  )(GenericContainer, Wait);
  expect(started).toEqual([IMAGE, Object.values(ports), { path: "/readyz", port: ports.manager }]);
  expect((await fetch(`${servers.urls.manager}/readyz`)).status).toBe(200);
  const [body, boundary] = [Buffer.from("--b--\r\n"), "multipart/form-data; boundary=b"];
  const date = rfc1123Date();
  const parts = { method: "POST", path: "/v1/query", body, contentType: boundary, date };
  const [accessKey, secretKey] = [database.client_access_key, database.client_secret_key];
  const headers = {
    Authorization: authorizationHeader({ ...parts, accessKey, secretKey }),
    "Content-Type": boundary,
    Date: date,
  };
  const response = await fetch(`${urls.query}/v1/query`, { method: "POST", headers, body });
  // Signed correctly; only the image is missing.
  expect([response.status, await response.text()]).toEqual([400, "No image."]);
});

test("the Kubernetes manifest replicates serve on one state, and has a service for each server", async () => {
  const ports = await imagePorts();
  const documents = parseAllDocuments(await example("kubernetes.yaml"));
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  const resources = documents.map((each) => z.union([deployment, service]).parse(each.toJS()));
  const deployments = resources.filter((each) => each.kind === "Deployment");
  const services = resources.filter((each) => each.kind === "Service");
  const replicas = deployments.map(({ metadata: { name }, spec }) => [name, spec.replicas]);
  expect(replicas).toEqual([
    ["serve", 2],
    ["state", 1],
  ]);
  expect(services.map(({ metadata: { name } }) => name)).toEqual([
    ...["target-api", "query", "target-manager"],
    "state",
  ]);
  const containers = deployments.map(({ metadata: { name }, spec }) => {
    const [only] = spec.template.spec.containers;
    expect(spec.selector.matchLabels).toEqual({ "app.kubernetes.io/name": name });
    expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
    const named = only.ports.map((each) => each.name);
    if ("httpGet" in only.readinessProbe) expect(named).toContain(only.readinessProbe.httpGet.port);
    return only;
  });
  const [serve, state] = containers;
  if (serve === undefined || state === undefined) throw new Error("no containers");
  for (const { metadata: meta, spec } of services) {
    const [of, name] = meta.name === "state" ? ["state", "redis"] : ["serve", meta.name];
    expect(spec.selector).toEqual({ "app.kubernetes.io/name": of });
    const port = { "target-api": ports.target, query: ports.query, redis: 6379 }[name] ?? ports.manager;
    expect(spec.ports).toEqual([{ name: expect.any(String), port, targetPort: name }]);
  }

  // Each server listens where its service sends requests.
  expect(serve.image).toBe(IMAGE);
  const portOf = Object.fromEntries(serve.ports.map((each) => [each.name, String(each.containerPort)]));
  expect(serve.args).toBeUndefined();
  expect(portOf).toEqual({
    "target-api": String(ports.target),
    query: String(ports.query),
    "target-manager": String(ports.manager),
  });
  expect([serve.startupProbe, serve.readinessProbe, serve.livenessProbe]).toMatchObject(
    ["/livez", "/readyz", "/livez"].map((path) => ({ httpGet: { path, port: "target-manager" } })),
  );
  const given = Object.fromEntries(serve.env.map(({ name, value }) => [name, value]));
  const settings = settingsFrom(readSharedSettings, given);
  expect(settings.state?.stateUrl.href).toBe("redis://state:6379");
  expect(settings.options.serviceBaseUrl).toBe("http://target-api:5000/");
  expect(state.ports).toEqual([{ name: "redis", containerPort: 6379 }]);
});

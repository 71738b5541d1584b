import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import * as z from "zod";
import { ROLES } from "../../src/mock/option.ts";
import { readSettings, readSharedSettings } from "../../src/servers/settings.ts";

const example = (file: string) =>
  readFile(new URL(`../../examples/containers/${file}`, import.meta.url), "utf8");

const IMAGE = "mock-cloud-reco";
const role = z.tuple([z.enum(ROLES)]);
const environment = z.record(z.string().regex(/^[A-Z_]+$/), z.string());

const compose = z.object({
  services: z.record(
    z.string(),
    z.strictObject({
      image: z.literal(IMAGE),
      build: z.strictObject({ context: z.literal("../.."), dockerfile: z.string() }),
      read_only: z.literal(true),
      cap_drop: z.tuple([z.literal("ALL")]),
      command: role,
      ports: z.tuple([z.string().regex(/^127\.0\.0\.1:500\d:5000$/)]),
      environment: environment.default({}),
      depends_on: z.optional(
        z.record(z.string(), z.strictObject({ condition: z.literal("service_healthy") })),
      ),
    }),
  ),
});

/** What an API server of Kubernetes accepts of these resources, as far as the manifest uses it. */
const label = z.string().regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/);
const labels = z.record(z.string().regex(/^app\.kubernetes\.io\/(name|part-of)$/), label);
const metadata = z.strictObject({ name: label, labels });
const port = z.int().min(1).max(65535);
const probe = { periodSeconds: z.int().min(1), timeoutSeconds: z.optional(z.int().min(1)) };
const container = z.strictObject({
  name: label,
  image: z.string(),
  imagePullPolicy: z.enum(["Always", "IfNotPresent", "Never"]),
  args: z.array(z.string()),
  env: z.array(z.strictObject({ name: z.string(), value: z.string() })).default([]),
  ports: z.array(z.strictObject({ name: label.max(15), containerPort: port })),
  readinessProbe: z.union([
    z.strictObject({ httpGet: z.strictObject({ path: z.string(), port: label }), ...probe }),
    z.strictObject({ exec: z.strictObject({ command: z.array(z.string()) }), ...probe }),
  ]),
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
      spec: z.strictObject({ containers: z.tuple([container]) }),
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

test("the compose file starts the three servers, with settings that they read and no others", async () => {
  const { services } = compose.parse(parse(await example("compose.yaml"), { merge: true }));
  expect(Object.keys(services)).toEqual([...ROLES]);
  for (const [name, { command, environment: given, depends_on }] of Object.entries(services)) {
    expect(command).toEqual([name]);
    const { managerUrl } = settingsFrom((values) => readSettings(command[0], values), given);
    if (name === "target-manager") continue;
    expect([managerUrl?.hostname, managerUrl?.port]).toEqual(["target-manager", "5000"]);
    expect(Object.keys(depends_on ?? {})).toEqual(["target-manager"]);
  }
});

test("the Kubernetes manifest replicates serve on one state, and has a service for each server", async () => {
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
  expect(services.map(({ metadata: { name } }) => name)).toEqual([...ROLES, "state"]);
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
    expect(spec.ports).toEqual([
      { name: expect.any(String), port: of === "state" ? 6379 : 5000, targetPort: name },
    ]);
  }

  // Each server listens where its service sends requests.
  expect(serve.image).toBe(IMAGE);
  const portOf = Object.fromEntries(serve.ports.map((each) => [each.name, String(each.containerPort)]));
  expect(serve.args).toEqual([
    "serve",
    ...["--manager-port", portOf["target-manager"]],
    ...["--target-port", portOf["target-api"]],
    ...["--query-port", portOf.query],
  ]);
  const given = Object.fromEntries(serve.env.map(({ name, value }) => [name, value]));
  const settings = settingsFrom(readSharedSettings, given);
  expect(settings.state?.stateUrl.href).toBe("redis://state:6379");
  expect(settings.options.serviceBaseUrl).toBe("http://target-api:5000/");
  expect(state.ports).toEqual([{ name: "redis", containerPort: 6379 }]);
});

import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import * as z from "zod";
import { ROLES } from "../../src/mock/option.ts";
import { readSettings } from "../../src/servers/settings.ts";

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
  image: z.literal(IMAGE),
  imagePullPolicy: z.enum(["Always", "IfNotPresent", "Never"]),
  args: role,
  env: z.array(z.strictObject({ name: z.string(), value: z.string() })).default([]),
  ports: z.tuple([z.strictObject({ name: label, containerPort: port })]),
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
    replicas: z.literal(1),
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

/** The settings of a server; an unknown one is no setting of any server, and is shown by its name. */
function settingsFrom(server: (typeof ROLES)[number], given: Readonly<Record<string, string>>) {
  const read = readSettings(server, given);
  const unread = Object.keys(given).filter((name) => {
    const { [name]: _without, ...others } = given;
    try {
      return JSON.stringify(readSettings(server, others)) === JSON.stringify(read);
    } catch {
      // It is required.
      return false;
    }
  });
  expect(unread, `unused settings of ${server}`).toEqual([]);
  return read;
}

test("the compose file starts the three servers, with settings that they read and no others", async () => {
  const { services } = compose.parse(parse(await example("compose.yaml"), { merge: true }));
  expect(Object.keys(services)).toEqual([...ROLES]);
  for (const [name, { command, environment: given, depends_on }] of Object.entries(services)) {
    expect(command).toEqual([name]);
    const { managerUrl } = settingsFrom(command[0], given);
    if (name === "target-manager") continue;
    expect([managerUrl?.hostname, managerUrl?.port]).toEqual(["target-manager", "5000"]);
    expect(Object.keys(depends_on ?? {})).toEqual(["target-manager"]);
  }
});

test("the Kubernetes manifest has a deployment and a service for each server, which find each other", async () => {
  const documents = parseAllDocuments(await example("kubernetes.yaml"));
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  const resources = documents.map((each) => z.union([deployment, service]).parse(each.toJS()));
  const deployments = resources.filter((each) => each.kind === "Deployment");
  const services = resources.filter((each) => each.kind === "Service");
  const names = (of: typeof resources) => of.map(({ metadata: { name } }) => name);
  expect(names(deployments)).toEqual([...ROLES]);
  expect(names(services)).toEqual([...ROLES]);
  for (const [index, { metadata: meta, spec }] of deployments.entries()) {
    const [{ args, env, ports, readinessProbe }] = spec.template.spec.containers;
    const serving = services[index]?.spec;
    expect(args).toEqual([meta.name]);
    expect(spec.selector.matchLabels).toEqual(spec.template.metadata.labels);
    expect(serving?.selector).toEqual(spec.template.metadata.labels);
    expect(serving?.ports).toEqual([{ name: "http", port: 5000, targetPort: ports[0].name }]);
    // The image's default.
    expect(ports[0].containerPort).toBe(5000);
    if ("httpGet" in readinessProbe) expect(readinessProbe.httpGet.port).toBe(ports[0].name);
    const given = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const { managerUrl } = settingsFrom(args[0], given);
    if (meta.name !== "target-manager")
      expect([managerUrl?.hostname, managerUrl?.port]).toEqual(["target-manager", "5000"]);
  }
});

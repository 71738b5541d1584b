import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePorts } from "../support/free-ports.ts";
import { sayWhatIsSkipped } from "../support/skipped.ts";

const TOOLS = ["buildah", "debootstrap", "curl", "openssl"];
const IMAGE = "localhost/mock-cloud-reco";
const BASE = "docker.io/library/node:22-slim";

const isMissing = (tool: string): boolean => spawnSync(tool, ["--version"]).error !== undefined;
const missing = TOOLS.filter(isMissing);
if (process.getuid?.() !== 0) missing.push("root's rights");
if (missing.length > 0) sayWhatIsSkipped(`the container image (${missing.join(", ")} missing)`);

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);
let folder = "";

/** Arguments that keep all images and containers in the test's own folder. */
const buildahArguments = (...args: readonly string[]): string[] => [
  ...["--root", join(folder, "storage"), "--runroot", join(folder, "run"), "--storage-driver", "vfs"],
  ...args,
];
async function buildah(...args: readonly string[]): Promise<string> {
  const { stdout } = await run("buildah", buildahArguments(...args), { cwd: root, maxBuffer: 2 ** 27 });
  return stdout.trim();
}

/** What the test reads from the configuration of an image in Docker's format. */
interface ImageConfiguration {
  readonly User: string;
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Healthcheck: { readonly Test: readonly string[] };
}
let configuration: ImageConfiguration;

/** Bytes of all files in a folder, each counted once. */
const bytesIn = async (path: string): Promise<number> =>
  Number((await run("du", ["--summarize", "--block-size=1", "--apparent-size", path])).stdout.split("\t")[0]);

/** The new root file system of a container of an image. */
async function mounted(image: string): Promise<string> {
  return buildah("mount", await buildah("from", "--pull-never", image));
}

let container = "";
let files = "";

/** The arguments that run a command as the image does: by its entry point, as its user. */
const running = (environment: Readonly<Record<string, string>>, command: readonly string[]): string[] =>
  buildahArguments(
    ...["run", "--isolation", "chroot"],
    ...Object.entries(environment).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
    ...[container, "--", ...command],
  );

/** The processes on this machine, each with its parent, user and name. */
function processes() {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && existsSync(`/proc/${name}/status`))
    .map((name) => {
      const status = readFileSync(`/proc/${name}/status`, "utf8");
      const [, parent, uid] = /^PPid:\s+(\d+)[\s\S]*^Uid:\s+(\d+)/m.exec(status) ?? [];
      return { pid: Number(name), parent: Number(parent), uid: Number(uid), status };
    });
}

/** The process below another one that has no child: the program that a container runs. */
function programOf(ancestor: number): { readonly pid: number; readonly uid: number } {
  const all = processes();
  for (let current = ancestor, uid = Number.NaN; ; ) {
    const child = all.find(({ parent }) => parent === current);
    if (child === undefined) return { pid: current, uid };
    ({ pid: current, uid } = child);
  }
}

const started: { readonly child: ChildProcess; readonly exited: Promise<unknown> }[] = [];

/** Starts a command of the image and waits until the image's own health check passes. */
async function serve(command: readonly string[], environment: Readonly<Record<string, string>>) {
  const settings = { LOG_LEVEL: "silent", MOCK_CLOUD_RECO_LOG_LEVEL: "silent", ...environment };
  const child = spawn("buildah", running(settings, [...configuration.Entrypoint, ...command]), {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  started.push({ child, exited });
  const [kind, ...healthCheck] = configuration.Healthcheck.Test;
  expect(kind).toBe("CMD");
  const healthy = () =>
    run("buildah", running(settings, healthCheck)).then(
      () => true,
      () => false,
    );
  await expect.poll(healthy, { timeout: 30_000, interval: 200 }).toBe(true);
  expect(child.exitCode, `the server ${command} has ended`).toBe(null);
  return { exited, program: programOf(child.pid ?? 0) };
}

/** Finds a picture with the servers at these ports: target API, query API and target manager. */
async function findPicture(ports: readonly number[]): Promise<void> {
  const urls = ports.map((port) => `http://localhost:${port}`);
  const script = "examples/containers/find-a-picture.sh";
  const { stdout } = await run(script, ["examples/demo/images/raccoon.jpg", ...urls], { cwd: root });
  expect(stdout).toMatch(/found: \{"result_code":"Success","results":\[\{"target_id":"[0-9a-f]{32}"/);
}

/** Every program runs as the image's user, and ends within 2 s of a signal. */
async function expectToStop(servers: readonly Awaited<ReturnType<typeof serve>>[]): Promise<void> {
  const passwd = await readFile(join(files, "etc/passwd"), "utf8");
  const user = Number(/^node:[^:]*:(\d+):/m.exec(passwd)?.[1]);
  expect(user).toBeGreaterThan(0);
  for (const { exited, program } of servers) {
    expect(program.uid).toBe(user);
    const at = performance.now();
    process.kill(program.pid, "SIGTERM");
    expect(await exited).toBe(0);
    const seconds = (performance.now() - at) / 1000;
    console.log(`stopped within ${seconds.toFixed(2)} s`);
    expect(seconds).toBeLessThan(2);
  }
}

describe.skipIf(missing.length > 0)("the container image", () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "image-"));
    const startedAt = performance.now();
    const took = () => `${((performance.now() - startedAt) / 1000).toFixed(0)} s`;
    const scratch = await buildah("from", "scratch");
    await run(join(root, "test/container/base.sh"), [await buildah("mount", scratch)], {
      maxBuffer: 2 ** 27,
    });
    await buildah(
      "config",
      "--env",
      "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      scratch,
    );
    await buildah("commit", "--quiet", "--rm", scratch, BASE);
    console.log(`base after ${took()}`);
    await buildah(
      ...["build", "--isolation", "chroot", "--format", "docker", "--pull-never", "--quiet"],
      ...["--file", "examples/containers/Dockerfile", "--tag", IMAGE, "."],
    );
    console.log(`image after ${took()}`);
    configuration = JSON.parse(await buildah("inspect", "--type", "image", IMAGE)).Docker.config;
    container = await buildah("from", "--pull-never", IMAGE);
    files = await buildah("mount", container);
  });

  afterAll(async () => {
    for (const { child, exited } of started)
      if (child.pid !== undefined && child.exitCode === null) {
        process.kill(programOf(child.pid).pid, "SIGKILL");
        // It unmounts what the container had; without it, nothing can be removed.
        await exited;
      }
    await buildah("rm", "--all");
    await rm(folder, { recursive: true, force: true });
  });

  it("adds less than 200 MB to its base, and no tools for building", async () => {
    const added = (await bytesIn(files)) - (await bytesIn(await mounted(BASE)));
    console.log(`the image is its base and ${(added / 1e6).toFixed(0)} MB`);
    expect(added).toBeGreaterThan(1e6);
    expect(added).toBeLessThan(200e6);
    const modules = join(files, "usr/local/lib/node_modules");
    const installed = [
      ...readdirSync(modules),
      ...readdirSync(join(modules, "mock-cloud-reco/node_modules")),
    ];
    expect(installed).toContain("sharp");
    expect(
      installed.filter((name) => /^(typescript|tsdown|esbuild|vitest|@types|@jest|msw)/.test(name)),
    ).toEqual([]);
    const left = ["packed", "build", "root/.npm/_cacache"].filter((path) => existsSync(join(files, path)));
    expect(left).toEqual([]);
  });

  it("without a command, runs all three servers, finds a picture, and stops by a signal, as its user", async () => {
    expect([configuration.User, configuration.Cmd]).toEqual(["node", ["serve"]]);
    const [target = 0, query = 0, manager = 0] = await freePorts(3);
    const ports = { TARGET_PORT: target, QUERY_PORT: query, MANAGER_PORT: manager };
    const settings = Object.entries(ports).map(([name, port]) => [name, String(port)]);
    const all = await serve(configuration.Cmd, Object.fromEntries(settings));
    await findPicture([target, query, manager]);
    await expectToStop([all]);
  });

  it("runs each server by its command", async () => {
    const [target = 0, query = 0, manager = 0] = await freePorts(3);
    const listening = (port: number) => ({ PORT: String(port), TARGET_PORT: String(port) });
    const beside = { TARGET_MANAGER_BASE_URL: `http://localhost:${manager}` };
    const servers = [
      await serve(["target-manager"], listening(manager)),
      await serve(["target-api"], { ...listening(target), ...beside }),
      await serve(["query"], { ...listening(query), ...beside }),
    ];
    await findPicture([target, query, manager]);
    await expectToStop(servers.reverse());
  });
});

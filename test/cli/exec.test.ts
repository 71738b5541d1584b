import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, inject, onTestFinished, test } from "vitest";
import { sayWhatIsSkipped } from "../support/skipped.ts";
import { start, VARIABLES } from "./command.ts";

const hasPython = spawnSync("python3", ["--version"]).status === 0;
if (!hasPython) sayWhatIsSkipped("keys typed in a terminal (no python3)");

const main = inject("command");
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "exec-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Runs `exec` with a program as a process of its own. */
function exec(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [main, "exec", ...args], {
    env: { ...process.env, ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let [printed, complained] = ["", ""];
  let wake = () => {};
  const spoke = new Promise<void>((resolve) => {
    wake = resolve;
  });
  child.stdout.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
    wake();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    complained += chunk.toString();
  });
  const finished = new Promise<{ code: number | null; printed: string; complained: string }>((resolve) =>
    child.once("close", (code) => resolve({ code, printed, complained })),
  );
  return { child, spoke, finished };
}

/** Runs a script of Node. */
const script = (code: string): string[] => ["--", process.execPath, "--input-type=module", "-e", code];

test("the command gets the URLs, the keys, its arguments, its input and its own environment", async () => {
  const { child, finished } = exec(
    [
      ...script(`
        import { text } from "node:stream/consumers";
        const given = Object.entries(process.env).filter(([name]) => /^VUFORIA_|^OWN$/.test(name));
        const { VUFORIA_MANAGER_URL: manager, VUFORIA_SERVER_ACCESS_KEY: key } = process.env;
        const databases = await (await fetch(manager + "/cloud_databases")).json();
        const refused = await fetch(process.env.VUFORIA_TARGET_URL + "/targets");
        const query = await fetch(process.env.VUFORIA_QUERY_URL + "/v1/query", { method: "POST" });
        console.log(JSON.stringify({
          given: Object.fromEntries(given), args: process.argv.slice(1), input: await text(process.stdin),
          keys: databases.map((each) => each.server_access_key === key), statuses: [refused.status, query.status],
        }));
      `),
      "--",
      "--help",
      "two words",
    ],
    { OWN: "kept", MOCK_CLOUD_RECO_LOG_LEVEL: "" },
  );
  child.stdin.end("typed");
  const { code, printed, complained } = await finished;
  expect(code, complained).toBe(0);
  const seen = JSON.parse(printed);
  expect(Object.keys(seen.given).sort()).toEqual(["OWN", ...VARIABLES].sort());
  expect(seen).toMatchObject({
    given: { OWN: "kept" },
    args: ["--help", "two words"],
    input: "typed",
    keys: [true],
    statuses: [401, 401],
  });
  // What the mock refused, and nothing else.
  const lines = complained.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).level)).toEqual(["warn", "warn"]);
});

test("settings of the tested program do not change or stop it, and exec has its own", async () => {
  const helps = ["serve", "target-manager", "target-api", "query"].map(
    async (command) => (await start([command, "--help"]).finished).printed,
  );
  const names = (await Promise.all(helps)).flatMap((help) =>
    [...help.matchAll(/^ {2}--.*, (?:MOCK_CLOUD_RECO_)?([A-Z_]+) {3}/gm)].map(([, name = ""]) => name),
  );
  expect(names).toContain("TARGET_MANAGER_BASE_URL");
  const foreign = Object.fromEntries(names.map((name) => [name, "not for exec"]));
  const its = { ...foreign, LOG_LEVEL: "debug", UI: "bdd", LOG_FORMAT: "pretty", HOST: "mymachine" };
  const args = ["--profile", "vuforia", "--log-level", "silent"];
  const program = script(`
    const { headers } = await fetch(process.env.VUFORIA_TARGET_URL + "/summary");
    console.log(headers.has("x-aws-region"), process.env.LOG_LEVEL, process.env.HOST);
  `);
  const { code, printed, complained } = await exec([...args, ...program], its).finished;
  expect([code, printed, complained]).toEqual([0, "true debug mymachine\n", ""]);
  const wrong = { MOCK_CLOUD_RECO_PROFILE: "vuforia", MOCK_CLOUD_RECO_LOG_FORMAT: "pretty" };
  expect(await start(["exec", "--", "true"], wrong).finished).toMatchObject({
    code: 2,
    complained:
      'mock-cloud-reco: MOCK_CLOUD_RECO_LOG_FORMAT: expected "json" or "text"; got "pretty"\n' +
      "mock-cloud-reco: MOCK_CLOUD_RECO_PROFILE: unknown setting; did you mean MOCK_CLOUD_RECO_SERVICE_PROFILE?\n",
  });
});

test("its exit code and the signal that ended it become those of the command", async () => {
  const [seven, killed] = [
    exec(script("process.exitCode = 7")),
    exec(script('process.kill(process.pid, "SIGKILL")')),
  ];
  expect(await seven.finished).toEqual({ code: 7, printed: "", complained: "" });
  expect((await killed.finished).code).toBe(137);
});

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR2"] as const;

test.each(SIGNALS)("%s reaches the command, which decides when it ends", async (signal) => {
  const { child, spoke, finished } = exec(
    script(`
        process.on("${signal}", async () => {
          const { status } = await fetch(process.env.VUFORIA_MANAGER_URL + "/readyz");
          console.log("${signal}", status);
          process.exit(3);
        });
        setInterval(() => {}, 1000);
        console.log("ready");
      `),
  );
  await spoke;
  child.kill(signal);
  expect(await finished).toMatchObject({ code: 3, printed: `ready\n${signal} 200\n` });
});

test.each(SIGNALS)("%s while the command starts reaches it, and leaves no process", async (signal) => {
  const [preload, pid] = [join(folder, "signalled.cjs"), join(folder, "pid")];
  // The system starts the command before Node returns from `spawn`.
  await writeFile(
    preload,
    `const programs = require("child_process");
    const { spawn } = programs;
    programs.spawn = (...args) => {
      const child = spawn(...args);
      require("fs").writeFileSync(${JSON.stringify(pid)}, String(child.pid));
      process.kill(process.pid, "${signal}");
      return child;
    };`,
  );
  const { child } = exec(["--", "sleep", "60"], { NODE_OPTIONS: `--require ${preload}` });
  const [code] = await once(child, "exit");
  const started = Number(await readFile(pid, "utf8"));
  expect(started).toBeGreaterThan(0);
  onTestFinished(() => {
    try {
      process.kill(started, "SIGKILL");
    } catch {
      // It has ended.
    }
  });
  expect(code).toBe(128 + constants.signals[signal]);
  expect(() => process.kill(started, 0)).toThrow("ESRCH");
});

/**
 * Runs a program in a terminal of its own, types a key when it is ready, and prints its exit code, then what it printed. Its
 * input is the terminal, or a file. Fails if it leaves processes.
 */
const TERMINAL = `
import os, pty, sys, time
key, source, *program = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    if source != "terminal":
        os.dup2(os.open(source, os.O_RDONLY), 0)
    os.execvp(program[0], program)
printed, typed = b"", False
while True:
    try:
        chunk = os.read(terminal, 1024)
    except OSError:
        break
    if not chunk:
        break
    printed += chunk
    if b"ready" in printed and not typed:
        typed = True
        os.write(terminal, bytes([int(key)]))
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
# A process that has ended counts until its parent, or whoever adopted it, has taken notice.
deadline = time.monotonic() + 10
try:
    while time.monotonic() < deadline:
        os.killpg(pid, 0)
        time.sleep(0.01)
    sys.exit("processes are left")
except ProcessLookupError:
    print(code, printed.decode())
`;

/** Counts a signal while the servers answer it several times, then exits with 10 and the number. */
const counting = (signal: string): string[] =>
  script(`
    let count = 0;
    process.on("${signal}", async () => {
      count += 1;
      if (count > 1) return;
      for (let each = 0; each < 20; each += 1) await fetch(process.env.VUFORIA_MANAGER_URL + "/readyz");
      process.exit(10 + count);
    });
    setInterval(() => {}, 1000);
    console.log("ready");
  `);

test.skipIf(!hasPython).each([
  ["Ctrl+C", "terminal", counting("SIGINT"), 11],
  ["Ctrl+C", "/dev/null", counting("SIGINT"), 11],
  // Not a shell that starts a command: between fork and exec, dash loses the signal.
  ["Ctrl+C", "terminal", script('console.log("ready"); process.stdin.resume();'), 130],
  ["Ctrl+\\", "terminal", counting("SIGQUIT"), 11],
] as const)(
  "%s in a terminal, with input from %s, reaches the command once",
  async (key, input, args, code) => {
    const [typed, command] = [
      String(key.charCodeAt(key.length - 1) & 0x1f),
      [process.execPath, main, "exec"],
    ];
    const { stdout } = await promisify(execFile)("python3", [
      "-c",
      TERMINAL,
      typed,
      input,
      ...command,
      ...args,
    ]);
    expect(stdout).toMatch(new RegExp(`^${code} ready`));
  },
);

test("a command that cannot be started has a shell's exit code, and an invalid option 2", async () => {
  const file = join(folder, "not-a-program");
  await writeFile(file, "");
  const missing = await exec(["--", join(folder, "nowhere")]).finished;
  expect(missing).toMatchObject({
    code: 127,
    complained: expect.stringMatching(
      /nowhere" cannot be started: there is no such program; .* \(ENOENT\)\n$/,
    ),
  });
  expect(await exec(["--", file]).finished).toMatchObject({
    code: 126,
    complained: expect.stringMatching(/not-a-program" cannot be started: it is not executable \(EACCES\)\n$/),
  });
  const unreadable = await exec(["--", join(folder, "\u001b[2J\u009b1m")]).finished;
  expect(unreadable.complained).toMatch(/^\P{Cc}*\\u001b\[2J\\u009b1m\P{Cc}*\n$/u);
  for (const args of [[], ["--"], ["npm", "test"]]) {
    const { code, complained } = await start(["exec", ...args]).finished;
    expect([code, complained]).toEqual([2, expect.stringContaining("mock-cloud-reco exec -- npm test")]);
  }
  expect(await start(["exec", "--target-port", "x", "--", "true"]).finished).toMatchObject({
    code: 2,
    complained: expect.stringContaining("--target-port: expected a whole number"),
  });
});

test("on Windows, scripts such as npm.cmd start through cmd.exe, with their arguments quoted", async () => {
  const shell = join(folder, "cmd.exe");
  const says = '#!/bin/sh\ncase "$4" in *nowhere*) exit 1;; esac\nprintf "%s\\n" "$@"\nexit 7\n';
  await writeFile(shell, says, { mode: 0o755 });
  await writeFile(join(folder, "npm.CMD"), "");
  // Node itself stays on this platform.
  const preload = join(folder, "windows.cjs");
  await writeFile(preload, 'Object.defineProperty(process, "platform", { value: "win32" });');
  const windows = {
    NODE_OPTIONS: `--require ${preload}`,
    PATH: folder,
    PATHEXT: ".EXE;.CMD",
    comspec: shell,
  };
  const { code, printed } = await exec(["--", "npm", "test", "two words"], windows).finished;
  expect([code, printed]).toEqual([7, '/d\n/s\n/c\n"npm ^"test^" ^"two^ words^""\n']);
  const missing = await exec(["--", "nowhere"], windows).finished;
  expect(missing).toMatchObject({ code: 127, complained: expect.stringContaining('"nowhere" cannot be') });
});

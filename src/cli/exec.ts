import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { isatty } from "node:tty";
import spawn from "cross-spawn";
import { whyNotStarted } from "../core/general/file-errors.ts";
import { realTimers } from "../core/general/real-timers.ts";
import { visible } from "../core/general/visible.ts";
import { warmUpSoon } from "../servers/warm-up.ts";
import { readOptions, type Terminal, UsageError } from "./arguments.ts";
import { connectionVariables, serversFlags, startAll } from "./serve.ts";

const LOG_LEVEL = "MOCK_CLOUD_RECO_LOG_LEVEL";

/** `mock-cloud-reco exec -- command`: all three servers, as long as a command runs. Returns the command's exit code. */
export async function exec(args: readonly string[], terminal: Terminal): Promise<number> {
  const end = args.indexOf("--");
  const own = end < 0 ? args : args.slice(0, end);
  const { values } = readOptions("exec", own, serversFlags("exec"), Number.POSITIVE_INFINITY);
  const [program, ...its] = end < 0 ? [] : args.slice(end + 1);
  if (program === undefined)
    throw new UsageError("exec: expected a command after --, as in: mock-cloud-reco exec -- npm test");
  const { environment } = terminal;
  // Its log mixes with the command's output.
  const settings = { ...environment, [LOG_LEVEL]: environment[LOG_LEVEL] || "warn" };
  const started = await startAll("exec", values, { ...terminal, environment: settings });
  // While the command starts.
  const endWarmUp = warmUpSoon(started.options);
  try {
    return await runProgram(program, its, { ...environment, ...connectionVariables(started) });
  } finally {
    endWarmUp();
    await started.servers.close();
  }
}

/** People and supervisors send these to end, reload or pause a program. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"] as const;

/** A shell's exit codes for a command that cannot be started. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
/** Shells add this to the number of the signal that ended a command. */
const SIGNALLED = 128;

/** Whether keys typed in a terminal send signals to this process and to those that it starts. */
function isInForeground(): boolean {
  // Input alone may be a file. Without any terminal, a test runner or supervisor sends signals itself.
  if (![0, 1, 2].some(isatty)) return false;
  let status: string;
  try {
    status = readFileSync("/proc/self/stat", "utf8");
  } catch {
    // Not Linux.
    return true;
  }
  // After the name, which is in parentheses and may contain spaces: state, parent, group, session, terminal, its foreground.
  const [, , group, , , foreground] = status.slice(status.lastIndexOf(")") + 2).split(" ");
  return group === foreground;
}

/** Runs a program with this process's input, output and signals. Resolves with its exit code, as a shell would. */
function runProgram(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  return new Promise((resolve) => {
    let isNew = true;
    const pass = (signal: NodeJS.Signals) => {
      // Ctrl+C and Ctrl+\\ reach the program too, if it was there. A second SIGINT makes many programs give up.
      if (!isNew && (signal === "SIGINT" || signal === "SIGQUIT") && isInForeground()) return;
      child.kill(signal);
    };
    // Before the program starts: a signal meanwhile would end this process and leave the program.
    for (const signal of SIGNALS) process.on(signal, pass);
    // On Windows it starts scripts too, such as npm.cmd.
    const child = spawn(program, args, { env: { ...environment }, stdio: "inherit" });
    // Signals of the meantime are delivered between these two.
    realTimers.setImmediate(() =>
      realTimers.setImmediate(() => {
        isNew = false;
      }),
    );
    const end = (code: number) => {
      for (const signal of SIGNALS) process.off(signal, pass);
      resolve(code);
    };
    child.once("error", (error) => {
      // The signal could not be sent: the program runs, or its exit follows.
      if ("syscall" in error && error.syscall === "kill") return;
      const why = `${JSON.stringify(program)} cannot be started: ${whyNotStarted(error)}`;
      process.stderr.write(`mock-cloud-reco: ${visible(why)}\n`);
      end("code" in error && error.code === "ENOENT" ? NOT_FOUND : NOT_EXECUTABLE);
    });
    child.once("exit", (code, signal) =>
      end(code ?? SIGNALLED + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}

import { authorizationHeader, rfc1123Date } from "mock-cloud-reco";
import { run } from "../../src/cli/run.ts";

/** Environment variables of a command. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface Finished {
  readonly code: number;
  /** Bytes that are not text, as Latin-1. */
  readonly printed: string;
  readonly complained: string;
  /** The pages that it opened in the browser. */
  readonly opened: readonly string[];
}

/** What `serve --json` prints. */
export interface Served {
  readonly urls: Readonly<Record<"target" | "query" | "model_target" | "manager", string>>;
  readonly database: Readonly<Record<string, string>>;
}

/** A command that runs in this process. */
export interface RunningCommand {
  /** Everything printed on standard output; waits for the first output. */
  printed(): Promise<string>;
  /** Stops it as a signal does. */
  stop(): Promise<Finished>;
  readonly finished: Promise<Finished>;
}

/** @param isTerminal - whether standard error is a terminal. */
export function start(
  args: readonly string[],
  environment: Environment = {},
  { isTerminal = false } = {},
): RunningCommand {
  let [printed, complained] = ["", ""];
  const opened: string[] = [];
  let stop = () => {};
  let wake = () => {};
  const somethingPrinted = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const finished = run(args, {
    environment,
    print: (output) => {
      printed += typeof output === "string" ? output : Buffer.from(output).toString("latin1");
      wake();
    },
    complain: (text) => {
      complained += text;
    },
    showProgress: isTerminal ? () => {} : undefined,
    openBrowser: (url) => void opened.push(url),
    stopRequested: () => stopped,
  }).then((code) => ({ code, printed, complained, opened }));
  return {
    finished,
    async printed() {
      await Promise.race([somethingPrinted, finished]);
      return printed;
    },
    stop: () => {
      stop();
      return finished;
    },
  };
}

/** Sends a signed `GET /summary`. */
export const summary = (url: string, accessKey = "", secretKey = "") => {
  const date = rfc1123Date();
  const parts = { accessKey, secretKey, method: "GET", path: "/summary", date };
  return fetch(`${url}/summary`, { headers: { Date: date, Authorization: authorizationHeader(parts) } });
};

/** What `exec` and `serve --env` tell programs. */
export const VARIABLES = [
  "VUFORIA_TARGET_URL",
  "VUFORIA_QUERY_URL",
  "VUFORIA_MANAGER_URL",
  "VUFORIA_SERVER_ACCESS_KEY",
  "VUFORIA_SERVER_SECRET_KEY",
  "VUFORIA_CLIENT_ACCESS_KEY",
  "VUFORIA_CLIENT_SECRET_KEY",
];

import { get as httpGet } from "node:http";
import { get as httpsGet } from "node:https";
import { messageOf } from "../emulator/text.ts";
import { localHost, parseBaseUrl } from "../schema/base-url.ts";
import { LISTENING } from "../servers/settings.ts";
import { type ExitCode, readOptions, type Terminal, UsageError } from "./arguments.ts";
import { HELP } from "./help.ts";

const TIMEOUT_MILLISECONDS = 5000;

/** `mock-cloud-reco healthcheck`: whether a server responds. */
export async function healthcheck(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { values, positionals } = readOptions(args, { help: { type: "boolean", short: "h" } }, { words: 1 });
  if (values.help === true) {
    terminal.print(HELP.healthcheck);
    return 0;
  }
  const url = addressed(positionals[0] ?? ownUrl(terminal));
  const answer = await statusOf(url);
  const healthy = isHealthy(answer);
  terminal.print(`${url.href} ${healthy ? "is healthy" : "is not healthy"}: ${answer}\n`);
  return healthy ? 0 : 1;
}

function addressed(given: string): URL {
  try {
    return parseBaseUrl("url", given);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/** The URL of the server that the same environment starts; a server that listens on all addresses is checked on loopback. */
function ownUrl({ environment }: Terminal): string {
  const { HOST = "", PORT = "", TLS_CERT_FILE = "", TLS_GENERATE = "" } = environment;
  const host = localHost(HOST === "" ? LISTENING.host : HOST);
  const secure = TLS_CERT_FILE !== "" || /^(true|1|yes)$/i.test(TLS_GENERATE);
  return `${secure ? "https" : "http"}://${host}:${PORT === "" ? LISTENING.port : PORT}`;
}

const isHealthy = (answer: number | string): boolean =>
  typeof answer === "number" && ((answer >= 200 && answer < 300) || [401, 403, 404].includes(answer));

/** The status, or why there is no response. */
function statusOf(url: URL): Promise<number | string> {
  const get = url.protocol === "https:" ? httpsGet : httpGet;
  return new Promise((resolve) => {
    // Any certificate is accepted: the question is only whether the server responds.
    const request = get(url, { timeout: TIMEOUT_MILLISECONDS, rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? "no status");
      request.destroy();
    });
    request.on("error", (error: Error & { code?: string }) => resolve(error.code ?? error.message));
    request.on("timeout", () => {
      resolve(`no response within ${TIMEOUT_MILLISECONDS / 1000} s`);
      request.destroy();
    });
  });
}

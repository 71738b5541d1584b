import { writeFile } from "node:fs/promises";
import { get as httpGet } from "node:http";
import { get as httpsGet } from "node:https";
import { DEFAULT_PROFILE } from "../core/emulator/profiles.ts";
import { requireNetwork } from "../core/general/permissions.ts";
import { messageOf } from "../core/general/text.ts";
import { localHost, parseBaseUrl } from "../core/schema/base-url.ts";
import { flatPicture, type PictureOptions, samplePicture } from "../mock/pictures/pictures.ts";
import { openApiDocument } from "../openapi/index.ts";
import { DEFAULTS } from "../options/command-settings.ts";
import { PREFIX, readFirst, readVariable, variablesOf } from "../options/setting-names.ts";
import { IMAGE_PORTS, SETTINGS } from "../options/setting-table.ts";
import { HEALTH_CHECK_AGENT } from "../servers/server.ts";
import {
  type ExitCode,
  readOptions,
  readProfile,
  type Terminal,
  UsageError,
  unwritable,
  valueFlag,
} from "./arguments.ts";

/** `mock-cloud-reco openapi`: prints the OpenAPI document of the four APIs. */
export async function printOpenApi(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { values } = readOptions("openapi", args, {
    profile: valueFlag,
    "target-url": valueFlag,
    "query-url": valueFlag,
    "model-target-url": valueFlag,
    "manager-url": valueFlag,
  });
  const profile = readProfile(values.profile ?? DEFAULT_PROFILE);
  const urlIn = (flag: "target-url" | "query-url" | "model-target-url" | "manager-url") => {
    const given = values[flag];
    return given === undefined ? undefined : addressed(given, `--${flag}`).href.replace(/\/$/, "");
  };
  const target = urlIn("target-url");
  const urls = {
    target,
    query: urlIn("query-url"),
    modelTarget: urlIn("model-target-url") ?? target,
    manager: urlIn("manager-url"),
  };
  terminal.print(`${JSON.stringify(openApiDocument({ profile, urls }), null, 2)}\n`);
  return 0;
}

/** `mock-cloud-reco picture`: writes a picture for tests, or prints it. */
export async function printPicture(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { values, positionals } = readOptions(
    "picture",
    args,
    { format: valueFlag, width: valueFlag, height: valueFlag, output: valueFlag },
    1,
  );
  const [which] = positionals;
  if (which === undefined) throw new UsageError('expected a number, or "flat"; got nothing');
  // Checked where the picture is drawn.
  const options = {
    ...(values.format !== undefined && { format: values.format.toUpperCase() }),
    ...(values.width !== undefined && { width: numberIn(values.width) }),
    ...(values.height !== undefined && { height: numberIn(values.height) }),
  } as PictureOptions;
  const picture =
    which === "flat" ? await flatPicture(options) : await samplePicture(numberIn(which), options);
  const { output } = values;
  if (output === undefined) terminal.print(picture);
  else
    await writeFile(output, picture).catch((error: unknown) =>
      Promise.reject(unwritable("output", output, error)),
    );
  return 0;
}

/** Passes on other text, so that the error shows it. */
const numberIn = (text: string): number => (/^\d+$/.test(text) ? Number(text) : (text as never));

const TIMEOUT_MILLISECONDS = 5000;

/** `mock-cloud-reco healthcheck`: whether a server responds. */
export async function healthcheck(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { positionals } = readOptions("healthcheck", args, {}, 1);
  const [given] = positionals;
  const results: string[] = [];
  for (const url of (given === undefined ? ownUrls(terminal) : [given]).map((one) => addressed(one))) {
    requireNetwork(`${url.href} cannot be checked`);
    const answer = await statusOf(url);
    if (isHealthy(answer)) {
      terminal.print(`${url.href} is healthy: ${answer}\n`);
      return 0;
    }
    results.push(`${url.href} is not healthy: ${answer}\n`);
  }
  terminal.print(results.join(""));
  return 1;
}

function addressed(given: string, name = "url"): URL {
  try {
    return parseBaseUrl(name, given);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/** URLs of the servers that this environment starts. Servers on all addresses are checked on loopback. */
function ownUrls({ environment }: Terminal): readonly string[] {
  const urlOf = (prefix: string, port: string) => {
    const given = (setting: string) => readVariable(environment, prefix + setting);
    const isSecure =
      given("TLS_CERT_FILE") !== undefined || /^(true|1|yes)$/i.test(given("TLS_GENERATE") ?? "");
    return `${isSecure ? "https" : "http"}://${localHost(given("HOST") ?? DEFAULTS.host)}:${port}`;
  };
  const alone = urlOf("", readVariable(environment, "PORT") ?? String(DEFAULTS.port));
  const { given, links } = readFirst(environment, variablesOf("serve", SETTINGS.targetPort));
  if (given === undefined && links.length === 0) return [alone];
  return [...new Set([alone, urlOf(PREFIX, given?.text ?? String(IMAGE_PORTS.targetPort))])];
}

const isHealthy = (answer: number | string): boolean =>
  typeof answer === "number" && ((answer >= 200 && answer < 300) || [401, 403, 404].includes(answer));

/** The status, or why there is no response. */
function statusOf(url: URL): Promise<number | string> {
  const get = url.protocol === "https:" ? httpsGet : httpGet;
  return new Promise((resolve) => {
    // Accepts any certificate: the server only has to respond.
    const headers = { "User-Agent": HEALTH_CHECK_AGENT };
    const options = { headers, timeout: TIMEOUT_MILLISECONDS, rejectUnauthorized: false };
    const request = get(url, options, (response) => {
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

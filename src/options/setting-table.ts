import { readFileSync } from "node:fs";
import { textIn } from "../core/general/text-file.ts";
import { textMatching, textReadBy } from "../core/schema/zod/problems.ts";
import { oneOf, text, trueOrFalse } from "../core/schema/zod/values.ts";
import {
  API_SERVERS,
  LOG_FORMATS,
  LOG_LEVELS,
  MANAGER,
  type OptionTable,
  option,
  ROLES,
  TARGET_API,
} from "./option.ts";
import { baseUrl, LOGGED, OPTIONS, port } from "./option-table.ts";

const redisUrl = textReadBy("a redis:// or rediss:// URL, such as redis://state:6379", (given) => {
  const url = new URL(given);
  if (/^rediss?:$/.test(url.protocol) && url.host !== "") return url;
  throw new TypeError("another scheme, or no host");
});
const fileContent = textReadBy("the path of a file that can be read and is not empty", (path) => {
  const content = textIn(readFileSync(path));
  if (content === "") throw new TypeError("the file is empty");
  return content;
});
const { modelTargetClient, modelTargetUser } = OPTIONS.common;

/** A port of `serve` and `exec` alone: no server in a process of its own reads it. */
const servePort = (what: string, setting: string, usage: string) =>
  option(port, `port of the ${what}`, {
    defaultWords: "any free port",
    setting,
    withoutPrefix: "always",
    usage,
  });

/** The ports that the container image sets. */
export const IMAGE_PORTS = { targetPort: 5000, queryPort: 5001, managerPort: 5002 } as const;

/** Settings of servers that are no options of `startServers`, or only parts of them, or not the same. */
export const SETTINGS = {
  logLevel: option(oneOf(...LOG_LEVELS), LOGGED, { default: "info", setting: "LOG_LEVEL", readBy: ROLES }),
  logFormat: option(oneOf(...LOG_FORMATS), "how requests are logged", {
    defaultWords: "text on a terminal, otherwise json",
    setting: "LOG_FORMAT",
    readBy: ROLES,
  }),
  port: option(port, "port to listen on", {
    default: 5000,
    setting: "PORT",
    readBy: ROLES,
    usage: "--port N",
  }),
  targetPort: servePort("target API", "TARGET_PORT", "--target-port N"),
  queryPort: servePort("query API", "QUERY_PORT", "--query-port N"),
  managerPort: servePort("target manager", "MANAGER_PORT", "--manager-port N"),
  managerUrl: option(baseUrl, "URL of the target manager", {
    defaultWords: "none: required",
    setting: "TARGET_MANAGER_BASE_URL",
    readBy: API_SERVERS,
  }),
  managerCertificate: option(fileContent, "PEM file: trust this certificate of the manager", {
    setting: "TARGET_MANAGER_CERT_FILE",
    readBy: API_SERVERS,
  }),
  stateUrl: option(redisUrl, "Redis or Valkey that keeps the state (needs iovalkey)", {
    setting: "STATE_URL",
    readBy: MANAGER,
  }),
  statePrefix: option(
    textMatching("letters, digits, dots, hyphens and underscores", /^[\w.-]+$/),
    "prefix of the keys there",
    { default: "mock-cloud-reco", setting: "STATE_PREFIX", readBy: MANAGER },
  ),
  stateCertificate: option(fileContent, "PEM file: trust this certificate of a rediss:// server", {
    setting: "STATE_CERT_FILE",
    readBy: MANAGER,
  }),
  certificate: option(fileContent, "PEM file: serve HTTPS with this certificate", {
    setting: "TLS_CERT_FILE",
    readBy: ROLES,
  }),
  certificateKey: option(fileContent, "PEM file: the certificate's key", {
    setting: "TLS_KEY_FILE",
    readBy: ROLES,
  }),
  generateCertificate: option(trueOrFalse, "serve HTTPS with a generated certificate", {
    default: false,
    setting: "TLS_GENERATE",
    readBy: ROLES,
  }),
  clientId: option(text, "user name of the fixed OAuth 2.0 client", {
    default: modelTargetClient.default.id,
    setting: "MODEL_TARGET_CLIENT_ID",
    withoutPrefix: "ifValid",
    readBy: TARGET_API,
  }),
  clientSecret: option(text, "password of that client", {
    default: modelTargetClient.default.secret,
    setting: "MODEL_TARGET_CLIENT_SECRET",
    withoutPrefix: "ifValid",
    readBy: TARGET_API,
  }),
  userName: option(text, "user name of the fixed user of the password grant", {
    default: modelTargetUser.default.name,
    setting: "MODEL_TARGET_USERNAME",
    withoutPrefix: "ifValid",
    readBy: TARGET_API,
  }),
  password: option(text, "password of that user", {
    default: modelTargetUser.default.password,
    setting: "MODEL_TARGET_PASSWORD",
    withoutPrefix: "ifValid",
    readBy: TARGET_API,
  }),
} satisfies OptionTable;

import { readFileSync } from "node:fs";
import { compareSignature } from "../core/apis/explanations/signature.ts";
import { malformedAuthorization } from "../core/apis/explanations/values.ts";
import { systemClock } from "../core/emulator/clock.ts";
import { header, type WireRequest } from "../core/emulator/message.ts";
import {
  bodyDigest,
  headerOf,
  namedAccessKey,
  rfc1123Date,
  type SigningKeys,
  stringToSign,
} from "../core/emulator/signing.ts";
import { whyUnread } from "../core/general/file-errors.ts";
import { messageOf, show, showUnknownKey } from "../core/general/text.ts";
import { textIn } from "../core/general/text-file.ts";
import { markedEncoding } from "../core/general/text-place.ts";
import { visible, visibleLines } from "../core/general/visible.ts";
import { sentenceOf } from "../core/schema/causes/causes.ts";
import { read } from "../core/schema/zod/problems.ts";
import { key as keySchema, wordsOf } from "../core/schema/zod/values.ts";
import type { Environment } from "../options/setting-names.ts";
import { type ExitCode, readOptions, type Terminal, UsageError, valueFlag } from "./arguments.ts";
import { readEnvLines } from "./env-lines.ts";

const OPTIONS = {
  body: valueFlag,
  "content-type": valueFlag,
  date: valueFlag,
  keys: valueFlag,
  explain: valueFlag,
} as const;

/** The only path that is signed with client keys. */
const QUERY_PATH = "/v1/query";

const PARTS = ["method", "MD5 of body", "content type", "date", "path"] as const;

/** The right keys, and a secret that clients mistake for the right one. */
interface Keys extends SigningKeys {
  readonly role: "server" | "client";
  readonly other: { readonly name: string; readonly accessKey: string; readonly secretKey: string };
}

/** `mock-cloud-reco sign`: shows how a request is signed, or which part of a signature is wrong. */
export async function sign(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { values, positionals } = readOptions("sign", args, OPTIONS, 2);
  const [method = "", given = ""] = positionals;
  const { explain } = values;
  if (!/^[A-Za-z]+$/.test(method) || !given.startsWith("/"))
    throw new UsageError("sign: expected a method and a path, as in: mock-cloud-reco sign GET /targets");
  if (explain !== undefined && values.date === undefined)
    throw new UsageError("--explain: add --date with the Date header of the same request");
  const printed = { path: given, "--content-type": values["content-type"], "--date": values.date };
  for (const [name, value = ""] of Object.entries(printed))
    if (visible(value) !== value)
      throw new UsageError(`${name}: expected text without control characters; got ${show(value)}`);
  const [path = "", ...query] = given.split("?");
  const body = values.body === undefined ? Buffer.alloc(0) : readFile("body", values.body);
  if (path !== QUERY_PATH && markedEncoding(body) !== undefined)
    terminal.complain(
      `mock-cloud-reco: --body: ${values.body} begins with a byte-order mark (${markedEncoding(body)}), which is signed, too; ` +
        "servers read no JSON after it: save the file as UTF-8 without one\n",
    );
  const usual = path === QUERY_PATH ? "multipart/form-data" : "application/json";
  const contentType = values["content-type"] ?? (body.length > 0 ? usual : undefined);
  const headers: [string, string][] = [["Date", values.date ?? rfc1123Date()]];
  if (contentType !== undefined) headers.push(["Content-Type", contentType]);
  if (explain !== undefined) headers.push(["Authorization", explain.replace(/^Authorization: */i, "")]);
  const request = { method: method.toUpperCase(), path, query: query.join("?"), headers, body };
  const environment = values.keys === undefined ? terminal.environment : readKeys(values.keys);
  const keys = keysFor(path, environment);
  const found = explain === undefined ? signed(request, keys) : await explained(request, keys);
  terminal.print(visibleLines(found.output));
  return found.isRight ? 0 : 1;
}

const stringOf = (request: WireRequest): string =>
  stringToSign({
    ...request,
    contentType: header(request, "content-type"),
    date: header(request, "date"),
  });

const table = (rows: readonly (readonly [name: string, value: string])[]): string =>
  rows.map(([name, value]) => `${name.padEnd(14)}  ${value}\n`).join("");

function signed(request: WireRequest, keys: Keys) {
  const toSign = stringOf(request);
  const values = toSign.split("\n");
  const parts = PARTS.map(
    (name, index) => [`${index + 1} ${name}`, values[index] || "(empty)"] as [string, string],
  );
  const headers = [...request.headers, ["Authorization", headerOf(keys, toSign)]]
    .map(([name, value]) => `${name}: ${value}\n`)
    .join("");
  const output = `${table(parts)}\nString to sign, as JSON:\n${JSON.stringify(toSign)}\n\nHeaders to send:\n${headers}`;
  return { output, isRight: true };
}

async function explained(request: WireRequest, keys: Keys) {
  const given = header(request, "authorization") ?? "";
  if (given === headerOf(keys, stringOf(request)))
    return { output: "The Authorization header is right.\n", isRight: true };
  if (!/^[^ :]+ [^ :]+:[^:]+$/.test(given)) {
    const why = malformedAuthorization(request, `VWS <${keys.role} access key>:<signature>`);
    return { output: `${sentenceOf(why)}\n`, isRight: false };
  }
  const wrongKey = namedAccessKey(given) === keys.accessKey ? "" : `${wrongKeyAdvice(request, keys)}\n`;
  const { expected, signed, why } = await compareSignature(request, bodyDigest(request.body), keys, {
    otherSecrets: { [keys.other.name]: keys.other.secretKey },
    now: systemClock.now().getTime(),
  });
  const differing = signed === undefined ? "" : `\n${differences(expected, signed)}`;
  const isSigned = headerOf({ ...keys, accessKey: namedAccessKey(given) ?? "" }, expected) === given;
  return { output: wrongKey + (isSigned ? "" : `${sentenceOf(why)}\n${differing}`), isRight: false };
}

function wrongKeyAdvice(request: WireRequest, { accessKey, secretKey, role, other }: Keys): string {
  const given = namedAccessKey(header(request, "authorization"));
  if (given === secretKey)
    return "the secret key was sent as the access key: swap them; the access key is sent, the secret key only signs";
  const belongs = `${request.path} needs the ${role} access key, ${show(accessKey)}`;
  return given === other.accessKey
    ? `the header names the other pair's access key, ${show(given)}: ${belongs}`
    : `the header names the access key ${showUnknownKey(given)}: ${belongs}`;
}

/** The parts that differ, if both strings have five. */
function differences(expected: string, signed: string): string {
  const [right, wrong] = [expected.split("\n"), signed.split("\n")];
  if (wrong.length !== right.length) return "";
  return PARTS.flatMap((name, index) =>
    right[index] === wrong[index]
      ? []
      : [
          `${index + 1} ${name} differs\n${table([
            ["  expected", JSON.stringify(right[index])],
            ["  signed", JSON.stringify(wrong[index])],
          ])}`,
        ],
  ).join("");
}

function keysFor(path: string, environment: Environment): Keys {
  const [role, otherRole] =
    path === QUERY_PATH ? (["client", "server"] as const) : (["server", "client"] as const);
  const required = (name: string): string => {
    const value = environment[name];
    if (value === undefined || value === "")
      throw new UsageError(`${name} is not set: set it in the environment, or in the file of --keys`);
    if ("value" in read(keySchema, value)) return value;
    const got = name.includes("SECRET") ? "a value that is not shown" : show(value);
    throw new UsageError(`${name}: expected ${wordsOf(keySchema)}; got ${got}`);
  };
  const other = {
    name: `${otherRole} secret key`,
    accessKey: environment[variable(otherRole, "ACCESS")] ?? "",
    secretKey: environment[variable(otherRole, "SECRET")] ?? "",
  };
  return {
    role,
    accessKey: required(variable(role, "ACCESS")),
    secretKey: required(variable(role, "SECRET")),
    other,
  };
}

/** The variable that `serve --env` writes and that `exec` sets. */
const variable = (role: Keys["role"], kind: "ACCESS" | "SECRET"): string =>
  `VUFORIA_${role.toUpperCase()}_${kind}_KEY`;

function readFile(option: "body" | "keys", path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`--${option}: ${show(path)} cannot be read: ${whyUnread(error)}`);
  }
}

function readKeys(path: string): Environment {
  const bytes = readFile("keys", path);
  try {
    const lines = readEnvLines(textIn(bytes));
    if (Object.keys(lines).length > 0) return lines;
  } catch (error) {
    throw new UsageError(`--keys: ${path}: ${messageOf(error)}`);
  }
  throw new UsageError(`--keys: ${path}: it has no lines NAME=value; let serve --env FILE write it`);
}

import { execFile, spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { samplePicture } from "mock-cloud-reco";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { generateCertificate } from "../../src/servers/certificate.ts";
import { codeBlocks } from "../support/code-blocks.ts";
import { canIsolate, ISOLATED } from "../support/name-spaces.ts";
import { sayWhatIsSkipped } from "../support/skipped.ts";
import { type Served, start } from "./command.ts";

const main = inject("command");
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "languages-"));
});
afterEach(() => rm(folder, { recursive: true }));

const works = (program: string, ...args: readonly string[]): boolean =>
  spawnSync(program, args, { stdio: "ignore" }).status === 0;

interface Client {
  /** Of its block in the guide. */
  readonly language: string;
  /** Its row in the guide's table of settings. */
  readonly row: RegExp;
  /** Proves that it is installed. */
  readonly needs: string;
  /** Prepares and runs the file of the block with the row's last setting. */
  readonly run: (file: string, trust: string) => string;
}

const CLIENTS: readonly Client[] = [
  {
    language: "sh",
    row: /^curl/,
    needs: "curl --version && openssl version",
    run: (file, trust) => `${trust} sh ${file}`,
  },
  {
    language: "python",
    row: /requests/,
    needs: "python3 -c 'import requests'",
    run: (file, trust) => `${trust} python3 ${file}`,
  },
  {
    language: "ruby",
    row: /Ruby/,
    needs: "ruby -ropenssl -e 1",
    run: (file, trust) => `${trust} ruby ${file}`,
  },
  {
    language: "php",
    row: /^PHP$/,
    needs: "php -r 'exit(function_exists(\"curl_init\") ? 0 : 1);'",
    run: (file, trust) => `${trust} ${file}`,
  },
  { language: "go", row: /Go/, needs: "go version", run: (file, trust) => `${trust} go run ${file}` },
  { language: "java", row: /^Java$/, needs: "javac -version", run: (file, trust) => `java ${trust} ${file}` },
  {
    language: "cs",
    row: /Mono/,
    needs: "mcs --version && mono --version",
    run: (file, trust) => `mcs -out:first.exe -r:System.Net.Http.dll ${file} && ${trust} mono first.exe`,
  },
];

/** Rows of the table without a block of their own. Nothing runs the row of R. */
const OTHERS = [
  {
    name: "streams of PHP",
    needs: "php --version",
    line: `php -d openssl.cafile=ca.pem -r '$context = stream_context_create(["http" => ["ignore_errors" => true]]);
echo file_get_contents("https://vws.vuforia.com/summary", false, $context);'`,
  },
  {
    name: "Perl",
    needs: "perl -MIO::Socket::SSL -e 1",
    line: `SSL_CERT_FILE=ca.pem perl -MHTTP::Tiny -e 'print HTTP::Tiny->new(verify_SSL => 1)
->get("https://vws.vuforia.com/summary")->{content}'`,
  },
];
const others = OTHERS.filter(({ needs }) => works("sh", "-c", needs));
if (others.length < OTHERS.length)
  sayWhatIsSkipped("clients of PHP's streams and Perl that are not installed");

const installed = CLIENTS.filter(({ needs }) => works("sh", "-c", needs));
const missing = CLIENTS.filter((client) => !installed.includes(client)).map(({ language }) => language);
if (missing.length > 0) sayWhatIsSkipped(`clients that are not installed (${missing.join(", ")})`);

describe.skipIf(!canIsolate)("clients with the service's names built in reach the servers:", () => {
  /** Runs lines of a shell as the guide runs tests, each by the service's names. */
  async function runTests(guide: string, lines: readonly string[]): Promise<string> {
    const blocks = codeBlocks(guide);
    const [hosts] = blocks.filter(({ language }) => language === "text");
    const [recipe] = blocks.filter(({ language }) => language === "sh");
    await writeFile(join(folder, "hosts"), `127.0.0.1 localhost\n${hosts?.text}\n`);
    await writeFile(join(folder, "tests.sh"), ["#!/bin/sh", "set -e", ...lines].join("\n"), { mode: 0o755 });
    const program = `ip link set lo up
mount --bind hosts /etc/hosts
${recipe?.text.replace("npx mock-cloud-reco", '"$NODE" "$MAIN"')}`;
    const { stdout } = await promisify(execFile)("unshare", [...ISOLATED, "sh", "-euc", program], {
      cwd: folder,
      env: { ...process.env, NODE: process.execPath, MAIN: main, MOCK_CLOUD_RECO_LOG_LEVEL: "silent" },
    });
    return stdout.trim();
  }
  const readGuide = () => readFile(new URL("../../examples/languages/README.md", import.meta.url), "utf8");

  test.each(installed)("$language, as the guide shows it", async ({ language, row, run }) => {
    const guide = await readGuide();
    const found = codeBlocks(guide).filter((each) => each.language === language);
    // Of the two in shell, the first one runs the tests.
    const [block, ...more] = language === "sh" ? found.slice(1) : found;
    expect([block?.language, more]).toEqual([language, []]);
    const file = `first.${language}`;
    await writeFile(join(folder, file), block?.text ?? "");
    await writeFile(join(folder, "poster.jpg"), await samplePicture(1));
    const rows = [...guide.matchAll(/^\| ([^|]+) \| (`[^|]+`) \|$/gm)];
    const settings = rows.find(([, clients = ""]) => row.test(clients))?.[2] ?? "";
    const before = [...settings.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
    const trust = before.pop();
    if (trust === undefined) throw new Error(`the guide's table has no row for ${row}`);
    const printed = await runTests(guide, [...before, run(file, trust)]);
    expect(printed).toMatch(/^\{.*"result_code": ?"Success".*"name": ?"database-1".*$/);
    // A query's response is gzip, also for curl, which does not ask for it.
    if (block?.text.includes("/v1/query") === true) expect(printed).toContain('"results":[]');
  });

  test.each(others)("$name, by the setting of its row", async ({ line }) => {
    expect(await runTests(await readGuide(), [line])).toContain('"result_code":"AuthenticationFailure"');
  });

  test("Node, also queries", async () => {
    const query = `fetch("https://cloudreco.vuforia.com/v1/query", { method: "POST" })`;
    const asked = `NODE_EXTRA_CA_CERTS=ca.pem "${process.execPath}" -e '${query}.then(({ status }) => console.log(status))'`;
    expect(await runTests(await readGuide(), [asked])).toBe("401");
  });
});

const hasTools = works("sh", "-c", "bash --version && curl --version && openssl version");

test.skipIf(!canIsolate || !hasTools)(
  "three servers work by the names of their containers, with no setting but the manager's URL",
  async () => {
    const addresses = { "target-manager": "127.0.0.4", "target-api": "127.0.0.5", query: "127.0.0.6" };
    const names = Object.entries(addresses);
    await writeFile(join(folder, "hosts"), names.map(([name, address]) => `${address} ${name}\n`).join(""));
    const root = fileURLToPath(new URL("../..", import.meta.url));
    const program = `ip link set lo up
mount --bind hosts /etc/hosts
trap 'kill $(jobs -p)' EXIT
${names
  .map(
    ([name, address]) =>
      `HOST=${address} TARGET_MANAGER_BASE_URL=http://target-manager:5000 "$NODE" "$MAIN" ${name} > started-${name} &`,
  )
  .join("\n")}
${names.map(([name]) => `until [ -s started-${name} ]; do sleep 0.1; done`).join("\n")}
"$ROOT/examples/containers/find-a-picture.sh" "$ROOT/examples/demo/images/raccoon.jpg" \\
  http://target-api:5000 http://query:5000 http://target-manager:5000`;
    const { stdout } = await promisify(execFile)("unshare", [...ISOLATED, "bash", "-euc", program], {
      cwd: folder,
      env: { ...process.env, NODE: process.execPath, MAIN: main, ROOT: root, LOG_LEVEL: "silent" },
    });
    expect(stdout).toMatch(/found: \{"result_code":"Success","results":\[\{"target_id":"[0-9a-f]{32}"/);
  },
);

test("--tls-ca writes an authority, which signed a certificate with the service's names", async () => {
  const file = join(folder, "ca.pem");
  const command = start(["serve", "--json", "--tls-ca", file, "--query-host", "127.0.0.9"], {
    MOCK_CLOUD_RECO_TLS_GENERATE: "true",
    MOCK_CLOUD_RECO_LOG_LEVEL: "silent",
  });
  const { urls, certificate }: Served & { certificate: string } = JSON.parse(await command.printed());
  const pem = await readFile(file, "utf8");
  expect(pem).toBe(certificate);
  expect(urls.query).toMatch(/^https:\/\/127\.0\.0\.9:\d+$/);
  expect(urls.target).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  const authority = new X509Certificate(pem);
  expect([authority.ca, authority.checkIssued(authority)]).toEqual([true, true]);
  const { hostname, port } = new URL(urls.target);
  const socket = connect({ host: hostname, port: Number(port), ca: pem });
  await once(socket, "secureConnect");
  const { raw } = socket.getPeerCertificate();
  socket.destroy();
  const read = new X509Certificate(raw);
  expect([read.ca, read.checkIssued(authority), read.keyUsage]).toEqual([
    false,
    true,
    // Those of its extended usage: to identify a server.
    ["1.3.6.1.5.5.7.3.1"],
  ]);
  for (const name of ["localhost", "vws.vuforia.com", "cloudreco.vuforia.com"])
    expect(read.checkHost(name)).toBe(name);
  for (const address of ["127.0.0.1", "127.0.0.9"]) expect(read.checkIP(address)).toBe(address);
  await command.stop();
});

const hasOpenssl = works("openssl", "version");
if (!hasOpenssl) sayWhatIsSkipped("a strict check of certificates (no openssl)");

test.skipIf(!hasOpenssl)("a strict check of the generated certificates passes", async () => {
  const hosts = ["127.0.0.9", "fd00::1:2", "mock.example"];
  const { authority, cert } = generateCertificate([...hosts, "fe80::1%eth0"]);
  const [ca, server] = [join(folder, "ca.pem"), join(folder, "server.pem")];
  await Promise.all([writeFile(ca, authority), writeFile(server, cert)]);
  for (const host of [...hosts, "::1", "fe80::1", "vws.vuforia.com", "localhost"]) {
    const name = [isIP(host) === 0 ? "-verify_hostname" : "-verify_ip", host];
    const asked = ["-x509_strict", "-check_ss_sig", "-purpose", "sslserver", ...name, "-CAfile", ca];
    const { stdout } = await promisify(execFile)("openssl", ["verify", ...asked, server]);
    expect(stdout).toBe(`${server}: OK\n`);
  }
});

test("--tls-ca without HTTPS is refused", async () => {
  const { code, complained } = await start(["serve", "--tls-ca", join(folder, "ca.pem")]).finished;
  expect([code, complained]).toEqual([2, expect.stringContaining("--tls-ca: the servers use plain HTTP")]);
});

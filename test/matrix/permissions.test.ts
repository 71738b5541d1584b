import { beforeAll, describe, expect, it } from "vitest";
import { copySamples, inConsumer, runNode } from "../package/run.ts";

const [major = 0] = process.versions.node.split(".").map(Number);
const PERMISSION = major >= 22 ? "--permission" : "--experimental-permission";
const READING = [PERMISSION, "--allow-fs-read=*"];
/** Older versions of Node let every process use the network. */
const restrictsNetwork = process.allowedNodeEnvironmentFlags.has("--allow-net");
const NO_NETWORK = "Node's permissions refuse the network; start Node with --allow-net";
const IN_PROCESS = ", or use a mock in the process (new MockCloudReco()), which needs no network";
const NO_ADDONS =
  "the image decoder cannot be loaded, because Node's permissions refuse addons: start Node with --allow-addons";

beforeAll(() => copySamples("permissions"));

const results = async (args: readonly string[]): Promise<unknown> => {
  const { code, printed } = await runNode("permissions", args, { NODE_OPTIONS: "" });
  expect(code, printed).toBe(0);
  return JSON.parse(printed.split("\n").at(-1) ?? "");
};

describe.runIf(restrictsNetwork)("without --allow-net", () => {
  const args = [...READING, "--allow-addons"];

  it("servers and pages reject with a sentence, and the process goes on", async () => {
    const sentence = (listener: string) =>
      expect.stringMatching(new RegExp(`^NotPermittedError: the ${listener} cannot listen on \\S+: `));
    const messages = await results([...args, "servers.mjs"]);
    expect(messages).toEqual([sentence("[a-z -]+"), sentence("server")]);
    expect(String(messages).split(NO_NETWORK + IN_PROCESS)).toHaveLength(3);
  });

  it.each([
    ["serve", "the target manager cannot listen on 127.0.0.1:0", IN_PROCESS],
    ["target-manager", "the target manager cannot listen on 127.0.0.1:5000", IN_PROCESS],
    ["serve --state-url redis://ann:hidden@127.0.0.1:1", "redis://127.0.0.1:1 cannot be reached", ""],
    ["healthcheck http://127.0.0.1:1", "http://127.0.0.1:1/ cannot be checked", ""],
  ])("%s exits with code 2 and one sentence", async (command, failed, otherwise) => {
    const cli = [inConsumer("node_modules/mock-cloud-reco/dist/cli.cjs"), ...command.split(" ")];
    const options = { NODE_OPTIONS: "" };
    const { code, printed } = await runNode("permissions", [...args, "--no-warnings", ...cli], options);
    expect(code, printed).toBe(2);
    expect(printed).toBe(`mock-cloud-reco: ${failed}: ${NO_NETWORK}${otherwise}`);
  });

  it("a mock in the process finds a picture", async () => {
    const found = ["Success", 1];
    expect(await results([...args, "mock.mjs"])).toEqual({ nock: found, sockets: found });
  });
});

it("with --allow-net, or where Node does not restrict the network, servers start", async () => {
  const args = [...READING, "--allow-addons", ...(restrictsNetwork ? ["--allow-net"] : [])];
  expect(await results([...args, "servers.mjs"])).toEqual(["started", "started"]);
});

it.each([
  ["--allow-addons", READING, NO_ADDONS],
  [
    "addons, because of --no-addons",
    ["--no-addons"],
    "the image decoder cannot be loaded, because of --no-addons: start Node without this option",
  ],
])(
  "without %s, a mock finds regular JPEG files, and says in one sentence why it decodes no other image",
  async (_what, args, why) => {
    const found = ["Success", 1];
    expect(await results([...args, "mock.mjs"])).toEqual({ nock: found, sockets: found });
    const answered = ["Success", why];
    expect(await results([...args, "mock.mjs", "PNG"])).toEqual({ nock: answered, sockets: answered });
  },
);

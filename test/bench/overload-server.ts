/* Servers with a database; sends their address and its keys to the process that started this one. */
import { startServers } from "../../src/servers/index.ts";
import type { OverloadTask } from "./overload-client.ts";

const servers = await startServers();
const { serverAccessKey, serverSecretKey } = servers.addCloudDatabase();
const opened: Pick<OverloadTask, "url" | "keys"> = {
  url: servers.urls.target,
  keys: [serverAccessKey, serverSecretKey],
};
process.send?.(opened);

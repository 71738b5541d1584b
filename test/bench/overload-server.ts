/* Servers with a database; sends their address and its keys to the process that started this one. */
import { startServers } from "../../src/servers/index.ts";
import type { OverloadTask } from "./overload-client.ts";

const servers = await startServers();
/** More than a minute needs: at a quota, the benchmark would measure refusals. */
const QUOTAS = { targetQuota: 1_000_000, requestQuota: 100_000_000 };
const { serverAccessKey, serverSecretKey } = servers.addCloudDatabase(QUOTAS);
const opened: Pick<OverloadTask, "url" | "keys"> = {
  url: servers.urls.target,
  keys: [serverAccessKey, serverSecretKey],
};
process.send?.(opened);

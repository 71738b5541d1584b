import { namedAccessKey } from "../guards/rate-limits.ts";
import type { Exchange } from "../http/exchange.ts";
import { header } from "../http/wire-message.ts";
import type { Operation, Service } from "../runtime/operation.ts";
import type { Store } from "../store/store.ts";
import type { FaultRequest } from "./fault-rule.ts";

/** An arrived request as faults see it: nothing of it has been checked. */
export async function faultRequest(
  api: Service,
  operation: Operation | undefined,
  { request }: Exchange,
  store: Store,
): Promise<FaultRequest> {
  const { method, path, query, body, headers } = request;
  const key = namedAccessKey(header(request, "authorization")) ?? "";
  const owner = await (api === "query"
    ? store.findDatabaseByClientAccessKey(key)
    : store.findDatabaseByServerAccessKey(key));
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  return {
    api,
    operation,
    database: owner?.name,
    method,
    path,
    query,
    headers: Object.fromEntries([...names].map((name) => [name, header(request, name) ?? ""])),
    body,
  };
}

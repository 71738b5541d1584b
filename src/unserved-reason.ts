import { nearestRoute } from "./http/nearest-route.ts";
import type { WireRequest } from "./http/wire-message.ts";
import { SERVICES, type Service } from "./runtime/operation.ts";
import type { ServiceEndpoint } from "./services.ts";

const API_NAMES: Readonly<Record<Service, string>> = {
  target: "target API (option targetUrl)",
  query: "query API (option queryUrl)",
  modelTarget: "Model Target API (option modelTargetUrl)",
  manager: "target manager (option managerUrl)",
};

/**
 * Why nothing serves a request, and what comes nearest to it: the methods of its path, the API that does serve it, or
 * the route that is most like it.
 *
 * @param apis - what the host of the request serves.
 */
export function unservedReason(
  endpoints: Readonly<Record<Service, readonly ServiceEndpoint[]>>,
  apis: readonly Service[],
  { method, path }: Pick<WireRequest, "method" | "path">,
): string {
  const here = apis.flatMap((api) => endpoints[api]);
  const samePath = here.filter((endpoint) => endpoint.match(path) !== undefined);
  if (samePath.length > 0) {
    const wanted = samePath.map((endpoint) => `${endpoint.method} (${endpoint.operation})`).join(", ");
    return `${path} is served, but not with the method ${method}; it takes ${wanted}`;
  }
  for (const api of SERVICES) {
    if (endpoints[api].some((endpoint) => endpoint.method === method && endpoint.match(path) !== undefined)) {
      return `this host does not serve ${method} ${path}; send it to the base URL of the ${API_NAMES[api]}`;
    }
  }
  const nearest = nearestRoute(here, { method, path });
  const hint =
    nearest === undefined ? "" : `; nearest is ${nearest.method} ${nearest.pattern} (${nearest.operation})`;
  return `nothing is served at ${method} ${path}${hint}`;
}

import { namedAccessKey } from "./guards/rate-limits.ts";
import { header } from "./http/wire-message.ts";
import type { InterceptedHost } from "./interception/interceptor.ts";
import { SERVICES, type Service } from "./runtime/operation.ts";
import type { World } from "./world.ts";

/** What each base URL serves; APIs that share one answer it together. */
export function interceptedHosts(
  urls: Readonly<Record<Service, URL>>,
  current: () => World,
): readonly InterceptedHost[] {
  const served = new Map<string, { readonly baseUrl: URL; readonly apis: [Service, ...Service[]] }>();
  for (const api of SERVICES) {
    const baseUrl = urls[api];
    const shared = served.get(baseUrl.href);
    if (shared === undefined) served.set(baseUrl.href, { baseUrl, apis: [api] });
    else shared.apis.push(api);
  }
  return [...served.values()].map(({ baseUrl, apis }) => ({
    baseUrl,
    handle: (request) => current().emulator.handle(apis, request),
    recognizes: (headers) => hasKey(current(), namedAccessKey(header({ headers }, "authorization"))),
  }));
}

function hasKey({ store }: World, accessKey: string | undefined): boolean {
  if (accessKey === undefined) return false;
  const owner =
    store.findDatabaseByServerAccessKey(accessKey) ?? store.findDatabaseByClientAccessKey(accessKey);
  return owner !== undefined;
}

import { header } from "../core/message.ts";
import { namedAccessKey } from "../core/signing.ts";
import { SERVICES, type Service } from "../schema/operation-names.ts";
import type { InterceptedHost } from "../transports/host-table.ts";
import { answerMalformed } from "../transports/http-server/malformed-request.ts";
import type { EmulatorState } from "./emulator-state.ts";
import type { ResolvedOptions } from "./options.ts";

/** Returns one host for each distinct base URL; APIs with the same base URL share it. */
export function interceptedHosts(
  { urls }: Pick<ResolvedOptions, "urls">,
  current: () => EmulatorState,
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
    handleMalformed: (why, head) => answerMalformed(current().emulator, apis[0], why, head),
    noteRefusal: (authority, reason) => void current().emulator.refuseConnection(apis[0], authority, reason),
    recognizes: (headers) => hasKey(current(), namedAccessKey(header({ headers }, "authorization"))),
  }));
}

function hasKey({ store }: EmulatorState, accessKey: string | undefined): boolean {
  if (accessKey === undefined) return false;
  const owner =
    store.findDatabaseByServerAccessKey(accessKey) ?? store.findDatabaseByClientAccessKey(accessKey);
  return owner !== undefined;
}

import { tokenSource } from "../apis/model-target/checks.ts";
import { header } from "../emulator/message.ts";
import { namedAccessKey } from "../emulator/signing.ts";
import type { InterceptedHost, Recognition, RequestMarks } from "../intercept/host-table.ts";
import { SERVICES, type Service } from "../schema/operation-names.ts";
import { answerMalformed } from "../servers/http/malformed-request.ts";
import type { MemoryStore } from "../store/memory-store.ts";
import type { EmulatorState } from "./emulator-state.ts";
import type { ResolvedOptions } from "./options.ts";

/** Returns one host for each distinct base URL; APIs with the same base URL share it. */
export function interceptedHosts(
  { urls, settings }: Pick<ResolvedOptions, "urls" | "settings">,
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
    handleMalformed: (why, head) => answerMalformed(current().emulator, apis, why, head),
    noteRefusal: (authority, reason) => {
      const request = { method: "CONNECT", path: authority, query: "", headers: [], body: Buffer.alloc(0) };
      void current().emulator.handle(apis, request, {
        connection: "refused",
        refusedBy: "transport",
        reason,
      });
    },
    recognizes: (request) => recognition(current(), settings, request),
  }));
}

function recognition(
  { store }: EmulatorState,
  { modelTargetClient, modelTargetUser }: ResolvedOptions["settings"],
  { path, headers }: RequestMarks,
): Recognition | undefined {
  const authorization = header({ headers }, "authorization");
  if (hasKey(store, namedAccessKey(authorization))) return "key";
  if (path.split("/").some((segment) => store.findDataset(segment) !== undefined)) return "dataset";
  const source = tokenSource(authorization);
  if (source === undefined) return undefined;
  const isConfigured = source === modelTargetClient.id || source === modelTargetUser.name;
  return isConfigured || store.findCredential(source) !== undefined ? "client" : undefined;
}

function hasKey(store: MemoryStore, accessKey: string | undefined): boolean {
  if (accessKey === undefined) return false;
  const owner =
    store.findDatabaseByServerAccessKey(accessKey) ?? store.findDatabaseByClientAccessKey(accessKey);
  return owner !== undefined;
}

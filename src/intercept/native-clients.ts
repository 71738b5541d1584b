import { loadedNativeClients, nativeClientOf } from "../core/general/native-clients.ts";
import { replace } from "./replace.ts";

/** Warns once of each client that opens its own sockets, when this process loads it, or has loaded it. */
export function warnOfNativeClients(sentence: string): void {
  const warned = new Set<string>();
  const warn = (client: string) => {
    if (warned.has(client)) return;
    warned.add(client);
    process.emitWarning(`${client} ${sentence}`, { code: "MOCK_CLOUD_RECO_NATIVE_CLIENT" });
  };
  loadedNativeClients().forEach(warn);
  replace(process, "dlopen", (original) => {
    return function (...args) {
      const client = nativeClientOf(String(args[1]));
      if (client !== undefined) warn(client);
      return original.apply(this, args);
    };
  });
}

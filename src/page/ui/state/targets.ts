import { computed, effect, signal } from "@preact/signals";
import type { PageTargets, ShownTarget } from "../../model.ts";
import { askJson, pathOf, report } from "./api.ts";
import { clientRequests, state } from "./connection.ts";
import { route } from "./route.ts";

/** The cloud database that the URL names; or the one opened, added or used by a client last; or the newest. */
export const chosenDatabase = signal<string | null>(null);
/** The targets of that database, oldest first; null: not loaded yet. */
export const targets = signal<readonly ShownTarget[] | null>(null);

let loaded: { readonly name: string; readonly revision: string } | undefined;
let loading = false;

/** Names of the cloud databases. */
export const databaseNames = computed((): readonly string[] =>
  report === null
    ? (state.value?.cloudDatabases ?? []).map(({ databaseName }) => databaseName)
    : report.databases.filter(({ kind }) => kind === "cloud").map(({ databaseName }) => databaseName),
);

/** The database that someone opened or added last. */
export const usedDatabase = signal<string | null>(null);
/** Whether the choice stays while its view is open: not until it is known which database clients used last. */
let isSettled = false;

effect(() => {
  const names = databaseNames.value;
  const { view, parameters } = route.value;
  const named = names.find((name) => name === parameters.get("database"));
  if (named !== undefined) usedDatabase.value = named;
  const isOpen = isSettled && (view === "targets" || view === "try");
  const kept = named ?? usedDatabase.value ?? (isOpen ? chosenDatabase.peek() : null);
  const byClients = clientRequests.value.findLast(({ database = "" }) => names.includes(database))?.database;
  isSettled = clientRequests.value.length > 0;
  chosenDatabase.value = names.find((name) => name === kept) ?? byClients ?? names.at(-1) ?? null;
});

effect(() => {
  const name = chosenDatabase.value;
  if (report !== null) {
    const database = report.databases.find(({ databaseName }) => databaseName === name);
    targets.value = database?.kind === "cloud" ? database.targets : null;
    return;
  }
  const database = state.value?.cloudDatabases.find(({ databaseName }) => databaseName === name);
  const needed = route.value.view === "targets";
  if (database === undefined) {
    targets.value = null;
    loaded = undefined;
    return;
  }
  if (loaded?.name !== database.databaseName) targets.value = null;
  if (needed) void load(database.databaseName, database.revision);
});

async function load(name: string, revision: string): Promise<void> {
  if (loading || (loaded?.name === name && loaded.revision === revision)) return;
  loading = true;
  try {
    const given: PageTargets = await askJson("GET", pathOf("page", "targets", { database: name }));
    if (chosenDatabase.peek() === name) {
      loaded = { name, revision: given.revision };
      targets.value = given.targets;
    }
  } catch {
    // The next state from the manager tries again.
  } finally {
    loading = false;
  }
  // Load changes that arrived meanwhile.
  const now = state.peek()?.cloudDatabases.find(({ databaseName }) => databaseName === chosenDatabase.peek());
  if (now !== undefined && (now.databaseName !== name || now.revision !== revision))
    void load(now.databaseName, now.revision);
}

/** Encodes bytes as base64, the form in which the manager takes pictures and metadata. */
export async function base64Of(content: Blob): Promise<string> {
  const bytes = new Uint8Array(await content.arrayBuffer());
  let binary = "";
  for (let start = 0; start < bytes.length; start += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  return btoa(binary);
}

/** Decodes metadata to text, or returns its size when it is not text. */
export function decodedMetadata(base64: string): { readonly text: string } | { readonly bytes: number } {
  let binary: string;
  try {
    binary = atob(base64.slice(0, base64.length - (base64.length % 4)));
  } catch {
    return { bytes: Math.floor((base64.length * 3) / 4) };
  }
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true }) };
  } catch {
    return { bytes: bytes.length };
  }
}

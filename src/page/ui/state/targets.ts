import { computed, effect, signal } from "@preact/signals";
import type { PageTarget, PageTargets } from "../../page-data.ts";
import type { ReportedTarget } from "../../report.ts";
import { askJson } from "./api.ts";
import { state } from "./connection.ts";
import { route } from "./route.ts";
import { report } from "./source.ts";

/** The cloud database that the URL names, or the first one. */
export const chosenDatabase = signal<string | null>(null);
/** The targets of that database, oldest first; null: not loaded yet. */
export const targets = signal<readonly PageTarget[] | null>(null);

let loaded: { readonly name: string; readonly revision: string } | undefined;
let loading = false;

/** Names of the cloud databases. */
export const databaseNames = computed((): readonly string[] =>
  report === null
    ? (state.value?.cloud_databases ?? []).map(({ database_name }) => database_name)
    : report.databases.filter(({ kind }) => kind === "cloud").map(({ databaseName }) => databaseName),
);

effect(() => {
  const names = databaseNames.value;
  const wanted = route.value.parameters.get("database");
  chosenDatabase.value = names.find((name) => name === wanted) ?? names[0] ?? null;
});

effect(() => {
  const name = chosenDatabase.value;
  if (report !== null) {
    const database = report.databases.find(({ databaseName }) => databaseName === name);
    targets.value = database?.targets.map(reportedTarget) ?? null;
    return;
  }
  const database = state.value?.cloud_databases.find(({ database_name }) => database_name === name);
  const needed = route.value.view === "targets";
  if (database === undefined) {
    targets.value = null;
    loaded = undefined;
    return;
  }
  if (loaded?.name !== database.database_name) targets.value = null;
  if (needed) void load(database.database_name, database.revision);
});

/** A target of the report. */
function reportedTarget(target: ReportedTarget): PageTarget {
  const { targetId, name, status, trackingRating = -1, image = "", processedAt = "" } = target;
  const [uploaded, modified] = [target.uploadDate ?? "", target.lastModifiedDate ?? ""].map(Date.parse);
  return {
    target_id: targetId,
    name,
    width: target.width ?? 1,
    active_flag: target.activeFlag ?? true,
    application_metadata: null,
    metadata_length: 0,
    sha256: image,
    processing_time_seconds: (Date.parse(processedAt) - (modified ?? 0)) / 1000,
    uploaded_at: uploaded ?? 0,
    modified_at: modified ?? 0,
    outcome: status === "failed" ? "failed" : "success",
    rating: trackingRating,
    finished: status !== "processing",
    rated: true,
    current_month_recos: 0,
    previous_month_recos: 0,
    total_recos: 0,
  };
}

async function load(name: string, revision: string): Promise<void> {
  if (loading || (loaded?.name === name && loaded.revision === revision)) return;
  loading = true;
  try {
    const given: PageTargets = await askJson(
      "GET",
      `/page/targets?${new URLSearchParams({ database: name })}`,
    );
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
  const now = state
    .peek()
    ?.cloud_databases.find(({ database_name }) => database_name === chosenDatabase.peek());
  if (now !== undefined && (now.database_name !== name || now.revision !== revision))
    void load(now.database_name, now.revision);
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

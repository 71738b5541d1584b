import { signal } from "@preact/signals";

export const TITLES = {
  overview: "Overview",
  targets: "Targets",
  requests: "Requests",
  try: "Try a picture",
  models: "Models & VuMarks",
  controls: "Controls",
} as const;
export type View = keyof typeof TITLES;
export const VIEWS = Object.keys(TITLES) as readonly View[];

export interface PageRoute {
  readonly view: View;
  readonly parameters: URLSearchParams;
}

function read(): PageRoute {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  return {
    view: VIEWS.find((view) => view === path) ?? "overview",
    parameters: new URLSearchParams(query),
  };
}

export const currentRoute = signal(read());
addEventListener("hashchange", () => {
  currentRoute.value = read();
});

/** The address of a view; parameters without a value are left out. */
export function addressOf(view: View, parameters: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(parameters).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== "",
  );
  const query = new URLSearchParams(given).toString();
  return `#/${view}${query === "" ? "" : `?${query}`}`;
}

/** Changes parameters of the present view, without a new entry in the browser's history. */
export function setParameters(changes: Readonly<Record<string, string | undefined>>): void {
  // Not `route`: the address may have changed before its event.
  const { view, parameters } = read();
  const address = addressOf(view, { ...Object.fromEntries(parameters), ...changes });
  history.replaceState(null, "", address);
  currentRoute.value = read();
}

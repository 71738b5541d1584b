import type { PageChanges, PageLists, PageState } from "./model.ts";

/** What identifies an item of each list in the state. */
export const KEYS: { readonly [List in keyof PageLists]: (item: PageLists[List][number]) => string } = {
  cloudDatabases: ({ databaseName }) => databaseName,
  vuMarkDatabases: ({ databaseName }) => databaseName,
  datasets: ({ uuid }) => uuid,
  credentials: ({ clientId }) => clientId,
  reports: ({ databaseId, file }) => `${databaseId} ${file}`,
  faults: ({ id }) => id,
};

export const LISTS = Object.keys(KEYS) as readonly (keyof PageLists)[];

/** The state after changes. Lists without changes stay the same objects. */
export function changed(state: PageState, changes: PageChanges): PageState {
  return { ...state, ...Object.fromEntries(LISTS.map((list) => [list, changedList(list, state, changes)])) };
}

/** Changed items keep their places, unless they were also removed; new ones follow at the end. */
function changedList<List extends keyof PageLists>(list: List, state: PageLists, changes: PageChanges) {
  const change = changes[list];
  if (change === undefined) return state[list];
  const items = new Map(state[list].map((item: PageLists[List][number]) => [KEYS[list](item), item]));
  for (const key of change.removed) items.delete(key);
  for (const item of change.changed) items.set(KEYS[list](item), item);
  return [...items.values()];
}

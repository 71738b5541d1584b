import type { ListChanges, PageChanges, PageList, PageState } from "./model.ts";

/** What identifies an item of each list in the state. */
export const KEYS: { readonly [List in PageList]: (item: PageState[List][number]) => string } = {
  cloudDatabases: ({ databaseName }) => databaseName,
  vuMarkDatabases: ({ databaseName }) => databaseName,
  datasets: ({ uuid }) => uuid,
  credentials: ({ clientId }) => clientId,
  reports: ({ databaseId, file }) => `${databaseId} ${file}`,
  faults: ({ id }) => id,
};

/** The state after changes. Lists without changes stay the same objects. */
export function changed(state: PageState, changes: PageChanges): PageState {
  const { cloudDatabases, vuMarkDatabases, datasets, credentials, reports, faults } = state;
  return {
    ...state,
    cloudDatabases: changedList(cloudDatabases, changes.cloudDatabases, KEYS.cloudDatabases),
    vuMarkDatabases: changedList(vuMarkDatabases, changes.vuMarkDatabases, KEYS.vuMarkDatabases),
    datasets: changedList(datasets, changes.datasets, KEYS.datasets),
    credentials: changedList(credentials, changes.credentials, KEYS.credentials),
    reports: changedList(reports, changes.reports, KEYS.reports),
    faults: changedList(faults, changes.faults, KEYS.faults),
  };
}

/** Changed items keep their places; new ones follow at the end. */
function changedList<Item>(
  list: readonly Item[],
  changes: ListChanges<Item> | undefined,
  keyOf: (item: Item) => string,
): readonly Item[] {
  if (changes === undefined) return list;
  if ("all" in changes) return changes.all;
  const items = new Map(list.map((item) => [keyOf(item), item]));
  for (const key of changes.removed) items.delete(key);
  for (const item of changes.changed) items.set(keyOf(item), item);
  return [...items.values()];
}

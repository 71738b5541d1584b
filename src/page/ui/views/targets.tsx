import { useComputed, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { ShownTarget } from "../../model.ts";
import { SearchField, Select, set } from "../parts/controls.tsx";
import { DropZone, FileButton, PICTURES, pictures } from "../parts/drop-zone.tsx";
import { Badge, Empty, StatusLine, Thumbnail } from "../parts/facts.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { ask, attempt, notify, pathOf, report } from "../state/api.ts";
import { emulatorNow, ratingOf, statusOf } from "../state/connection.ts";
import { count, number } from "../state/format.ts";
import { route, setParameters } from "../state/route.ts";
import { base64Of, chosenDatabase, databaseNames, decodedMetadata, targets } from "../state/targets.ts";
import { FinishAll } from "./controls.tsx";
import { TargetDetails } from "./target-details.tsx";

/** Size of a card with its gap, in pixels. */
const CARD_WIDTH = 176;
const cardHeight = () => 232;

const SORTS = [
  ["newest", "Newest first"],
  ["oldest", "Oldest first"],
  ["name", "Name"],
  ["rating", "Best rating first"],
  ["worst", "Worst rating first"],
  ["status", "Status"],
] as const;
type Sort = (typeof SORTS)[number][0];

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Sorts a list that is in the order of creation. */
function sorted(list: readonly ShownTarget[], sort: Sort, now: number): readonly ShownTarget[] {
  switch (sort) {
    case "oldest":
      return list;
    case "newest":
      return list.toReversed();
    case "name":
      return list.toSorted((a, b) => compare(a.name, b.name));
    case "rating":
      return list.toSorted((a, b) => ratingOf(b, now) - ratingOf(a, now));
    case "worst":
      return list.toSorted((a, b) => ratingOf(a, now) - ratingOf(b, now));
    case "status":
      return list.toSorted((a, b) => compare(statusOf(a, now), statusOf(b, now)));
  }
}

function matches(target: ShownTarget, wanted: string): boolean {
  if (target.name.toLowerCase().includes(wanted) || target.targetId.toLowerCase().includes(wanted))
    return true;
  if (target.applicationMetadata === null) return false;
  const metadata = decodedMetadata(target.applicationMetadata);
  return "text" in metadata && metadata.text.toLowerCase().includes(wanted);
}

export function Targets() {
  const search = useSignal("");
  const adding = useSignal<{ readonly done: number; readonly all: number } | null>(null);
  const [sort] = SORTS.find(([value]) => value === route.value.parameters.get("sort")) ?? SORTS[0];
  const name = chosenDatabase.value;
  const shown = useMemo(() => {
    const wanted = search.value.trim().toLowerCase();
    const found = (targets.value ?? []).filter((target) => wanted === "" || matches(target, wanted));
    return sorted(found, sort, emulatorNow.peek());
  }, [targets.value, search.value, sort]);
  const openId = route.value.parameters.get("target");
  const open = useComputed(() => {
    const id = route.value.parameters.get("target");
    return targets.value?.find(({ targetId }) => targetId === id);
  });

  if (name === null)
    return (
      <Empty icon="targets" title="No targets yet">
        <p>No cloud database yet. Add one in the overview.</p>
      </Empty>
    );

  const add = async (given: readonly File[]) => {
    if (report !== null) return;
    const files = pictures(given);
    let added = 0;
    for (const [index, file] of files.entries()) {
      adding.value = { done: index, all: files.length };
      const imageBase64 = await base64Of(file);
      const body = { name: file.name.replace(/\.[^.]*$/, ""), width: 1, imageBase64 };
      if (await attempt(() => ask("POST", pathOf("cloud_databases", name, "targets"), body))) added += 1;
    }
    adding.value = null;
    if (added > 0) notify("done", `Added ${count(added, "target")}`);
  };
  /** Another target may be open when this is called after a request. */
  const close = (id: string) => {
    if (route.peek().parameters.get("target") === id) setParameters({ target: undefined });
  };
  const all = targets.value?.length ?? 0;
  return (
    <DropZone label={`Drop to add to ${name}`} onFiles={add}>
      <div class="filling stack grow">
        <header class="view-head row">
          <h1>Targets</h1>
          <span class="faint small tally-text" aria-live="polite">
            {adding.value !== null
              ? `Adding ${adding.value.done + 1} of ${adding.value.all}`
              : targets.value !== null &&
                (shown.length === all
                  ? count(all, "target")
                  : `${number(shown.length)} of ${count(all, "target")}`)}
          </span>
          <span class="grow" />
          {report === null && (
            <>
              <FinishAll label="Finish processing" />
              <FileButton
                kind="main"
                icon="plus"
                label="Add targets"
                accept={PICTURES}
                multiple
                onFiles={add}
              />
            </>
          )}
        </header>
        <div class="toolbar row">
          <Select
            bare
            label="Database"
            value={name}
            options={databaseNames.value}
            onChange={(database) => setParameters({ database, target: undefined })}
          />
          <SearchField
            label="Search name, id or metadata"
            value={search.value}
            onInput={(value) => set(search, value)}
          />
          <Select
            bare
            label="Sort by"
            value={sort}
            options={SORTS}
            onChange={(value) => setParameters({ sort: value })}
          />
        </div>
        {targets.value === null ? (
          <p class="loading">Loading…</p>
        ) : shown.length === 0 ? (
          <Empty icon="targets" title={all === 0 ? "No targets yet" : "No target matches the search"}>
            {all === 0 && <p>Drop PNG or JPEG files anywhere on this page, or choose them.</p>}
          </Empty>
        ) : (
          <VirtualList
            class="gallery"
            label="Targets"
            items={shown}
            keyOf={({ targetId }) => targetId}
            rowHeight={cardHeight}
            columnWidth={CARD_WIDTH}
            render={(target, tabIndex) => <Card target={target} tabIndex={tabIndex} />}
          />
        )}
        {openId !== null && open.value !== undefined && (
          <TargetDetails key={openId} database={name} target={open.value} onClose={() => close(openId)} />
        )}
      </div>
    </DropZone>
  );
}

const Card = ({ target, tabIndex }: { readonly target: ShownTarget; readonly tabIndex: number }) => (
  <button
    type="button"
    tabIndex={tabIndex}
    class={target.activeFlag ? "card choice stack target" : "card choice stack target inactive"}
    onClick={() => setParameters({ target: target.targetId })}
  >
    <span class="visually-hidden">Target</span>
    <span class="picture">
      <Thumbnail sha256={target.image} />
      {!target.activeFlag && <Badge tone="off">Inactive</Badge>}
    </span>
    <b class="one-line" title={target.name}>
      {target.name}
    </b>
    <StatusLine target={target} />
    <code class="faint one-line">{target.targetId}</code>
  </button>
);

import { useComputed, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { ShownTarget } from "../../model.ts";
import { Button, Empty, FileButton, SearchField, Select } from "../parts/controls.tsx";
import { DropZone, PICTURES, pictures } from "../parts/drop-zone.tsx";
import { Badge } from "../parts/facts.tsx";
import { StatusLine } from "../parts/status-line.tsx";
import { Thumbnail } from "../parts/thumbnail.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { ask, attempt, pathOf } from "../state/api.ts";
import { emulatorNow, ratingOf, statusOf } from "../state/clock.ts";
import { count, number } from "../state/format.ts";
import { notify } from "../state/notices.ts";
import { route, setParameters } from "../state/route.ts";
import { report } from "../state/source.ts";
import { base64Of, chosenDatabase, databaseNames, decodedMetadata, targets } from "../state/targets.ts";
import { TargetDetails } from "./target-details.tsx";

/** Size of a card with its gap, in pixels. */
const CARD = { width: 176, height: 232 };

const SORT_LABELS = {
  newest: "Newest first",
  oldest: "Oldest first",
  name: "Name",
  rating: "Best rating first",
  worst: "Worst rating first",
  status: "Status",
} as const;
type Sort = keyof typeof SORT_LABELS;
const SORTS = Object.entries(SORT_LABELS).map(([value, label]) => ({ value: value as Sort, label }));

const byName = (a: ShownTarget, b: ShownTarget) => (a.name < b.name ? -1 : Number(a.name > b.name));

/** Sorts a list that is in the order of creation. */
function sorted(list: readonly ShownTarget[], sort: Sort, now: number): readonly ShownTarget[] {
  switch (sort) {
    case "oldest":
      return list;
    case "newest":
      return [...list].reverse();
    case "name":
      return [...list].sort(byName);
    case "rating":
      return [...list].sort((a, b) => ratingOf(b, now) - ratingOf(a, now));
    case "worst":
      return [...list].sort((a, b) => ratingOf(a, now) - ratingOf(b, now));
    case "status":
      return [...list].sort((a, b) =>
        statusOf(a, now) < statusOf(b, now) ? -1 : Number(statusOf(a, now) > statusOf(b, now)),
      );
  }
}

/** Whether a target's name, id or metadata contains the text. */
function matches(target: ShownTarget, wanted: string): boolean {
  if (target.name.toLowerCase().includes(wanted) || target.targetId.toLowerCase().includes(wanted))
    return true;
  if (target.applicationMetadata === null) return false;
  const metadata = decodedMetadata(target.applicationMetadata);
  return "text" in metadata && metadata.text.toLowerCase().includes(wanted);
}

/** The targets of one database, as a gallery. */
export function Targets() {
  const search = useSignal("");
  const adding = useSignal<{ readonly done: number; readonly all: number } | null>(null);
  const sort = SORTS.find(({ value }) => value === route.value.parameters.get("sort"))?.value ?? "newest";
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
      <div class="filling">
        <header class="view-head">
          <h1>Targets</h1>
          <span class="faint tally-text" aria-live="polite">
            {adding.value !== null
              ? `Adding ${adding.value.done + 1} of ${adding.value.all}`
              : targets.value !== null &&
                (shown.length === all
                  ? count(all, "target")
                  : `${number(shown.length)} of ${count(all, "target")}`)}
          </span>
          <span class="spacer" />
          {report === null && (
            <>
              <Button
                icon="bolt"
                label="Finish processing"
                onClick={() => attempt(() => ask("POST", "/finish_processing"), "Finished all processing")}
              />
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
        <div class="toolbar">
          <Select
            bare
            label="Database"
            value={name}
            options={databaseNames.value.map((value) => ({ value, label: value }))}
            onChange={(database) => setParameters({ database, target: undefined })}
          />
          <SearchField
            label="Search name, id or metadata"
            value={search.value}
            onInput={(value) => {
              search.value = value;
            }}
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
            rowHeight={CARD.height}
            columnWidth={CARD.width}
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

interface CardProps {
  readonly target: ShownTarget;
  readonly tabIndex: number;
}

function Card({ target, tabIndex }: CardProps) {
  return (
    <button
      type="button"
      tabIndex={tabIndex}
      class={target.activeFlag ? "target" : "target inactive"}
      onClick={() => setParameters({ target: target.targetId })}
    >
      <span class="visually-hidden">Target</span>
      <span class="target-picture">
        <Thumbnail sha256={target.image} />
        {!target.activeFlag && <Badge tone="off">Inactive</Badge>}
      </span>
      <span class="target-name" title={target.name}>
        {target.name}
      </span>
      <StatusLine target={target} />
      <code class="target-id">{target.targetId}</code>
    </button>
  );
}

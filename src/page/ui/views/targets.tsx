import { useSignal } from "@preact/signals";
import type { PageTargets, ShownTarget } from "../../model.ts";
import { SORTS, sortOf } from "../../select.ts";
import { SearchField, Select, set } from "../parts/controls.tsx";
import { DropZone, FileButton, PICTURES, pictures } from "../parts/drop-zone.tsx";
import { Badge, Empty, StatusLine, Thumbnail } from "../parts/facts.tsx";
import { List } from "../parts/list.tsx";
import { ask, attempt, base64Of, notify, pathOf, report } from "../state/api.ts";
import { databaseParameters, useKeptDatabase, useRead } from "../state/connection.ts";
import { count, number, shownOf } from "../state/format.ts";
import { currentRoute, setParameters } from "../state/route.ts";
import { FinishAll } from "./controls.tsx";
import { TargetDetails } from "./target-details.tsx";

export function Targets() {
  const search = useSignal("");
  const adding = useSignal<{ readonly done: number; readonly all: number } | null>(null);
  const { value: given } = useRead<PageTargets>("targets", () => {
    const parameters = databaseParameters(currentRoute.value.parameters, "sort", "target");
    if (search.value !== "") parameters.set("search", search.value);
    return parameters;
  });
  useKeptDatabase(given);
  const sort = sortOf(currentRoute.value.parameters);
  const openId = currentRoute.value.parameters.get("target");
  if (given === null) return <p class="empty stack faint">Loading…</p>;
  const { database: name, targets: shown, total, all } = given;
  const open = [given.open, ...shown].find((target) => target?.targetId === openId);

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
      const path = pathOf("cloud_databases", name, "targets");
      if (await attempt(() => ask("POST", path, body), undefined, file.name)) added += 1;
    }
    adding.value = null;
    if (added > 0) notify("done", `Added ${count(added, "target")}`);
  };
  /** Another target may be open when this is called after a request. */
  const close = (id: string) => {
    if (currentRoute.peek().parameters.get("target") === id) setParameters({ target: undefined });
  };
  const found = search.value === "" ? null : total;
  return (
    <DropZone label={`Drop to add to ${name}`} onFiles={add}>
      <div class="filling stack grow">
        <header class="view-head row">
          <h1>Targets</h1>
          <span class="faint small" aria-live="polite">
            {adding.value !== null
              ? `Adding ${adding.value.done + 1} of ${adding.value.all}`
              : found === null
                ? shownOf(shown.length, all, "target")
                : `${shown.length < found ? `${number(shown.length)} of ` : ""}${number(found)} of ${count(all, "target")}`}
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
          <SearchField
            label="Search name, id or metadata"
            value={search.value}
            onInput={(value) => set(search, value)}
          />
          <Select
            bare
            label="Database"
            value={name}
            options={given.databases}
            onChange={(database) => setParameters({ database, target: undefined })}
          />
          <Select
            bare
            label="Sort by"
            value={sort}
            options={SORTS}
            onChange={(value) => setParameters({ sort: value })}
          />
        </div>
        {shown.length === 0 ? (
          <Empty icon="targets" title={all === 0 ? "No targets yet" : "No target matches the search"}>
            {all === 0 && <p>Drop PNG or JPEG files anywhere on this page, or choose them.</p>}
          </Empty>
        ) : (
          <List
            class="gallery"
            label="Targets"
            items={shown}
            keyOf={({ targetId }) => targetId}
            render={(target, tabIndex) => <Card target={target} tabIndex={tabIndex} />}
          />
        )}
        {open && (
          <TargetDetails
            key={open.targetId}
            database={name}
            target={open}
            onClose={() => close(open.targetId)}
          />
        )}
      </div>
    </DropZone>
  );
}

const Card = ({ target, tabIndex }: { readonly target: ShownTarget; readonly tabIndex: number }) => (
  <button
    type="button"
    tabIndex={tabIndex}
    class={
      target.activeFlag
        ? "card choice stack tight small target"
        : "card choice stack tight small target inactive"
    }
    onClick={() => setParameters({ target: target.targetId })}
  >
    <span class="visually-hidden">Target</span>
    <span class="picture grow">
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

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { isRefusedOrFailed, OPERATIONS } from "../../../core/schema/protocol.ts";
import type { FoundTarget, PageRequests, RequestRow } from "../../model.ts";
import { listFilter, passes } from "../../select.ts";
import { Button, Checkbox, SearchField, Select, set } from "../parts/controls.tsx";
import { ConfirmButton } from "../parts/dialogs.tsx";
import { Empty, Moment, StatusCode, Thumbnail } from "../parts/facts.tsx";
import { List } from "../parts/list.tsx";
import { ask, attempt, report } from "../state/api.ts";
import { requestCounts, useRead } from "../state/connection.ts";
import { count, milliseconds, sentence, shownOf } from "../state/format.ts";
import { currentRoute, setParameters } from "../state/route.ts";
import { RequestDetails } from "./request-details.tsx";

const NONE: readonly RequestRow[] = [];
const ANNOUNCE_MILLISECONDS = 2000;

const APIS = [
  ["", "All APIs"],
  ["target", "Target"],
  ["query", "Query"],
  ["modelTarget", "Model Target"],
  ["manager", "Manager"],
] as const;

/** The requests and counts when the list was paused. */
interface Paused {
  readonly shown: PageRequests | null;
  readonly counts: typeof requestCounts.value;
}

export function Requests() {
  const paused = useSignal<Paused | null>(null);
  const filtering = useSignal(false);
  const { parameters } = currentRoute.value;
  const filter = listFilter(parameters);
  const read = useRead<PageRequests>("requests", () => {
    const { parameters: given } = currentRoute.value;
    return new URLSearchParams([...given].filter(([name]) => name !== "request"));
  });
  const { clients, dropped, generation } = requestCounts.value;
  const { value: then } = paused;
  const isCleared = then !== null && then.counts.generation !== generation;
  const now = then === null ? read.value : isCleared ? null : then.shown;
  const kept = now?.requests ?? NONE;
  // A list that is paused is filtered here.
  const shown = then === null ? kept : kept.filter((request) => passes(request, filter));
  const total = then === null ? (now?.total ?? 0) : shown.length;
  const chosenId = parameters.get("request");
  const answered = isCleared
    ? clients
    : answeredOf(requestCounts.value) - answeredOf(then?.counts ?? requestCounts.value);
  const last = isCleared ? 0 : (then?.shown?.requests.at(-1)?.number ?? 0);
  const passed = (read.value?.requests ?? NONE).filter(({ number }) => number > last).length;
  // The filter may have changed since the list was paused.
  const waiting = then === null ? 0 : Math.min(answered, passed);
  const operations = useRef(new Set<string>(OPERATIONS)).current;
  for (const { operation } of kept) if (operation !== undefined) operations.add(operation);
  if (filter.operation !== "") operations.add(filter.operation);
  return (
    <div class="filling stack grow">
      <header class="view-head row">
        <h1>Requests</h1>
        <span class="faint small">{shownOf(shown.length, total, "request")}</span>
        {dropped > 0 && <span class="faint small">{count(dropped, "older request")} are no longer kept</span>}
        <span class="grow" />
        {waiting > 0 && <span class="info tone small">{count(waiting, "new request")} while paused</span>}
        {report === null && (
          <>
            <Button
              icon={paused.value === null ? "pause" : "play"}
              kind={paused.value === null ? "plain" : "main"}
              label={paused.value === null ? "Pause" : "Resume"}
              onClick={() => {
                paused.value = then === null ? { shown: read.value, counts: requestCounts.value } : null;
              }}
            />
            <ConfirmButton
              icon="trash"
              label="Clear"
              title="Clear the journal?"
              action="Clear"
              onConfirm={() => attempt(() => ask("DELETE", "/requests"), "Cleared the journal")}
            >
              This deletes all requests, for everyone who views the journal.
            </ConfirmButton>
          </>
        )}
      </header>
      <div class={filtering.value ? "toolbar row folding open" : "toolbar row folding"}>
        <SearchField
          label="Filter by path, code, reason or database"
          value={parameters.get("search") ?? ""}
          onInput={(search) => setParameters({ search })}
        />
        <Button
          icon="filter"
          label="Filters"
          aria-expanded={filtering.value}
          onClick={() => set(filtering, !filtering.value)}
        />
        <Select
          bare
          label="API"
          value={filter.api}
          options={APIS}
          onChange={(api) => setParameters({ api, operation: undefined })}
        />
        <Select
          bare
          label="Operation"
          value={filter.operation}
          options={[["", "All operations"], ...operations]}
          onChange={(operation) => setParameters({ operation })}
        />
        <Checkbox
          label="Refused only"
          checked={filter.refused}
          onChange={({ currentTarget }) =>
            setParameters({ refused: currentTarget.checked ? "1" : undefined })
          }
        />
        {report === null && (
          <Checkbox
            label="Also the page's own"
            checked={filter.own}
            onChange={({ currentTarget }) => setParameters({ own: currentTarget.checked ? "1" : undefined })}
          />
        )}
      </div>
      <div class="split grow">
        {shown.length === 0 ? (
          <Empty icon="requests" title={clients === 0 ? "No requests yet" : "No request matches the filter"}>
            {clients === 0 && <p>Requests appear here when clients send them.</p>}
          </Empty>
        ) : (
          <List
            class="requests"
            label="Requests"
            items={shown}
            keyOf={({ number }) => String(number)}
            follow={paused.value === null}
            heads={<ColumnHeads />}
            chosen={chosenId}
            render={(request, tabIndex, chosen) => (
              <Row request={request} chosen={chosen} tabIndex={tabIndex} />
            )}
          />
        )}
        {chosenId !== null && <RequestDetails key={chosenId} id={chosenId} />}
      </div>
      <Announcer />
    </div>
  );
}

const ColumnHeads = () => (
  <div class="request heads small faint" aria-hidden="true">
    {["Status", "Method", "Path", "Result", "Database", "Time", "Took"].map((name) => (
      <span key={name}>{name}</span>
    ))}
  </div>
);

interface RowProps {
  readonly request: RequestRow;
  readonly chosen: boolean;
  readonly tabIndex: number;
}

function Row({ request, chosen, tabIndex }: RowProps) {
  const { number, method, path, status, resultCode, database, time, durationMs, reason, found } = request;
  const refused = isRefusedOrFailed(request);
  return (
    <button
      type="button"
      tabIndex={tabIndex}
      class="request choice small"
      aria-current={chosen ? "true" : undefined}
      onClick={() => setParameters({ request: chosen ? undefined : String(number) })}
    >
      <StatusCode status={status} />
      <span class="method mono">{method}</span>
      <span class="path mono one-line">{path}</span>
      <span class="outcome">
        <b class={refused ? "bad tone one-line" : "one-line"}>
          {found === undefined ? (
            (resultCode ?? (status === undefined ? "No response" : ""))
          ) : (
            <Found found={found} />
          )}
        </b>{" "}
        {refused && reason !== undefined && <span class="why faint one-line">{sentence(reason)}</span>}
      </span>
      <span class="database one-line faint">{database ?? ""}</span>
      <span class="faint">
        <Moment at={time} form="time" />
      </span>
      <span class="took faint">{milliseconds(durationMs)}</span>
    </button>
  );
}

const Found = ({ found }: { readonly found: FoundTarget | null }) =>
  found === null ? (
    <span class="faint">No match</span>
  ) : (
    <span class="found" title={`Found ${found.name}`}>
      {found.image !== null && <Thumbnail sha256={found.image} />}
      <span class="visually-hidden">Found </span>
      {found.name}
    </span>
  );

/** Answered requests since the journal was cleared. */
const answeredOf = ({ clients, dropped }: typeof requestCounts.value): number => clients + dropped;

/** Announces new requests to screen readers, at a rate that users can follow. */
function Announcer() {
  const said = useSignal("");
  const heard = useRef({ counts: requestCounts.peek(), timer: 0 });
  const { value: counts } = requestCounts;
  useEffect(() => {
    const { current } = heard;
    if (current.timer !== 0 || answeredOf(counts) === answeredOf(current.counts)) return;
    current.timer = window.setTimeout(() => {
      const now = requestCounts.peek();
      const added = answeredOf(now) - answeredOf(current.counts);
      const refused = now.refused - current.counts.refused;
      heard.current = { counts: now, timer: 0 };
      if (added > 0)
        said.value = `${count(added, "new request")}${refused > 0 ? `, ${refused} refused` : ""}`;
    }, ANNOUNCE_MILLISECONDS);
  }, [counts]);
  return (
    <div class="visually-hidden" aria-live="polite">
      {said.value}
    </div>
  );
}

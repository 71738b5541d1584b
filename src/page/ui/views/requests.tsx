import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { isRefusedOrFailed } from "../../../schema/protocol.ts";
import type { PageRequest } from "../../model.ts";
import { Button, Check, SearchField, Select, set } from "../parts/controls.tsx";
import { ConfirmButton } from "../parts/dialogs.tsx";
import { Empty, Moment, StatusCode } from "../parts/facts.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { ask, attempt, report } from "../state/api.ts";
import { clearings, clientRequests, missedRequests, requests } from "../state/connection.ts";
import { count, milliseconds, sentence } from "../state/format.ts";
import { route, setParameters } from "../state/route.ts";
import { RequestDetails } from "./request-details.tsx";

/** Rows have one line, or two in a narrow list, and another one for a reason. */
const rowHeight = (request: PageRequest, width: number): number =>
  (width <= 760 ? 60 : 40) + (isRefusedOrFailed(request) && request.reason !== undefined ? 20 : 0);
const NONE: readonly PageRequest[] = [];
const ANNOUNCE_MILLISECONDS = 2000;

const APIS = [
  ["", "All APIs"],
  ["target", "Target"],
  ["query", "Query"],
  ["modelTarget", "Model Target"],
  ["manager", "Manager"],
] as const;

interface Filter {
  /** Also the page's own requests. */
  readonly own: boolean;
  readonly api: string;
  readonly operation: string;
  readonly refused: boolean;
  readonly search: string;
}

function passes(request: PageRequest, { own, api, operation, refused, search }: Filter): boolean {
  if (request.fromPage && !own) return false;
  if (api !== "" && request.api !== api) return false;
  if (operation !== "" && request.operation !== operation) return false;
  if (refused && !isRefusedOrFailed(request)) return false;
  if (search === "") return true;
  const { method, path, status, resultCode, reason, database, refusedBy, fault } = request;
  return [`${method} ${path}`, String(status ?? ""), resultCode, reason, database, refusedBy, fault].some(
    (value) => value?.toLowerCase().includes(search) === true,
  );
}

/** The list as it was when it was paused, and how often it had been cleared by then. */
interface Paused {
  readonly requests: readonly PageRequest[];
  readonly clearings: number;
}

export function Requests() {
  const paused = useSignal<Paused | null>(null);
  const filtering = useSignal(false);
  const { parameters } = route.value;
  const filter: Filter = {
    own: parameters.has("own"),
    api: parameters.get("api") ?? "",
    operation: parameters.get("operation") ?? "",
    refused: parameters.has("refused"),
    search: (parameters.get("search") ?? "").trim().toLowerCase(),
  };
  const kept = paused.value?.clearings === clearings.value ? paused.value.requests : NONE;
  const all = paused.value === null ? requests.value : kept;
  const shown = useMemo(
    () => all.filter((request) => passes(request, filter)),
    [all, filter.own, filter.api, filter.operation, filter.refused, filter.search],
  );
  const operations = useMemo(() => {
    const found = all.filter(({ api }) => filter.api === "" || filter.api === api);
    return [...new Set([filter.operation, ...found.map(({ operation = "" }) => operation)])]
      .filter((operation) => operation !== "")
      .sort();
  }, [all, filter.api, filter.operation]);
  const chosenId = parameters.get("request");
  const waiting =
    paused.value === null
      ? 0
      : requests.value.slice(kept.length).filter((request) => passes(request, filter)).length;
  return (
    <div class="filling stack grow">
      <header class="view-head row">
        <h1>Requests</h1>
        <span class="faint small tally-text">{count(shown.length, "request")}</span>
        {missedRequests.value > 0 && (
          <span class="faint small tally-text">
            {count(missedRequests.value, "older request")} are no longer kept
          </span>
        )}
        <span class="grow" />
        {waiting > 0 && <span class="info tone small">{count(waiting, "new request")} while paused</span>}
        {report === null && (
          <>
            <Button
              icon={paused.value === null ? "pause" : "play"}
              kind={paused.value === null ? "plain" : "main"}
              label={paused.value === null ? "Pause" : "Resume"}
              onClick={() => {
                paused.value =
                  paused.value === null ? { requests: requests.value, clearings: clearings.value } : null;
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
        <Check
          label="Refused only"
          checked={filter.refused}
          onChange={({ currentTarget }) =>
            setParameters({ refused: currentTarget.checked ? "1" : undefined })
          }
        />
        {report === null && (
          <Check
            label="Also the page's own"
            checked={filter.own}
            onChange={({ currentTarget }) => setParameters({ own: currentTarget.checked ? "1" : undefined })}
          />
        )}
      </div>
      <div class={chosenId === null ? "split grow" : "split grow chosen"}>
        <div class="split-list grow">
          {shown.length === 0 ? (
            <Empty
              icon="requests"
              title={clientRequests.value.length === 0 ? "No requests yet" : "No request matches the filter"}
            >
              {clientRequests.value.length === 0 && <p>Requests appear here when clients send them.</p>}
            </Empty>
          ) : (
            <VirtualList
              class="requests"
              label="Requests"
              items={shown}
              keyOf={({ id }) => id}
              rowHeight={rowHeight}
              follow={paused.value === null}
              heads={<ColumnHeads />}
              render={(request, tabIndex) => (
                <Row request={request} chosen={request.id === chosenId} tabIndex={tabIndex} />
              )}
            />
          )}
        </div>
        {chosenId !== null && <RequestDetails key={chosenId} id={chosenId} />}
      </div>
      <Announcer />
    </div>
  );
}

const ColumnHeads = () => (
  <div class="request column-heads small" aria-hidden="true">
    {["Status", "Method", "Path", "Result", "Database", "Time", "Took"].map((name) => (
      <span key={name}>{name}</span>
    ))}
  </div>
);

interface RowProps {
  readonly request: PageRequest;
  readonly chosen: boolean;
  readonly tabIndex: number;
}

function Row({ request, chosen, tabIndex }: RowProps) {
  const { id, method, path, status, resultCode, database, time, durationMs, reason } = request;
  const refused = isRefusedOrFailed(request);
  return (
    <button
      type="button"
      tabIndex={tabIndex}
      class="request choice"
      aria-current={chosen ? "true" : undefined}
      onClick={() => setParameters({ request: chosen ? undefined : id })}
    >
      <StatusCode status={status} />
      <span class="method">{method}</span>
      <span class="path mono one-line">{path}</span>
      <span class="outcome">
        <b class={refused ? "bad tone one-line" : "one-line"}>
          {resultCode ?? (status === undefined ? "No response" : "")}
        </b>{" "}
        {refused && reason !== undefined && <span class="why faint one-line">{sentence(reason)}</span>}
      </span>
      <span class="database one-line faint">{database ?? ""}</span>
      <span class="when faint">
        <Moment at={time} form="time" />
      </span>
      <span class="took faint">{milliseconds(durationMs)}</span>
    </button>
  );
}

/** Announces new requests to screen readers, at a rate that users can follow. */
function Announcer() {
  const said = useSignal("");
  const heard = useRef({ count: clientRequests.peek().length, timer: 0 });
  const length = useComputed(() => clientRequests.value.length);
  useEffect(() => {
    const { current } = heard;
    if (current.timer !== 0 || length.value === current.count) return;
    current.timer = window.setTimeout(() => {
      const added = clientRequests.peek().slice(current.count);
      const refused = added.filter(isRefusedOrFailed).length;
      current.count = clientRequests.peek().length;
      current.timer = 0;
      if (added.length > 0)
        said.value = `${count(added.length, "new request")}${refused > 0 ? `, ${refused} refused` : ""}`;
    }, ANNOUNCE_MILLISECONDS);
  }, [length.value]);
  return (
    <div class="visually-hidden" aria-live="polite">
      {said.value}
    </div>
  );
}

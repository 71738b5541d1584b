import { useSignal } from "@preact/signals";
import type { PageDatabase, PageDatabases } from "../../model.ts";
import { CopyButton, LinkButton, OpenButton, SearchField, Secret, set } from "../parts/controls.tsx";
import { ConfirmButton } from "../parts/dialogs.tsx";
import { Badge, Bar, CardHead, Empty, Facts, STATUSES, StateBadge } from "../parts/facts.tsx";
import { ask, attempt, pathOf } from "../state/api.ts";
import { state, useRead } from "../state/connection.ts";
import { commaSeparated, count, number, shownOf } from "../state/format.ts";
import { addressOf } from "../state/route.ts";
import { AddDatabase, ChangeDatabase, KINDS, Snippets } from "./database-dialogs.tsx";

/** More databases get a search field. */
const MANY = 12;

export function Overview() {
  const search = useSignal("");
  const { value: given } = useRead<PageDatabases>(
    "databases",
    () => new URLSearchParams(search.value === "" ? [] : [["search", search.value]]),
    ({ databases }) => databases.some((each) => each.kind === "cloud" && each.counts.processing > 0),
  );
  if (state.value === null || given === null) return <p class="empty stack faint">Loading…</p>;
  const { urls } = state.value;
  const { databases, total } = given;
  const isEmpty = total === 0 && search.value === "";
  const add = (
    <OpenButton kind="main" icon="plus" label="Add database">
      {(close) => <AddDatabase databases={databases} onClose={close} />}
    </OpenButton>
  );
  return (
    <>
      <header class="view-head row">
        <h1 class="grow">Overview</h1>
        {!isEmpty && add}
      </header>
      <section aria-label="Servers" class="card row servers">
        <Endpoint name="Target API" url={urls.target} />
        <Endpoint name="Query API" url={urls.query} />
        <Endpoint name="Target manager" url={urls.manager} />
      </section>
      {(total > MANY || search.value !== "") && (
        <div class="toolbar row">
          <SearchField
            label="Search databases by name"
            value={search.value}
            onInput={(value) => set(search, value)}
          />
          <span class="faint small">{shownOf(databases.length, total, "database")}</span>
        </div>
      )}
      {isEmpty ? (
        <Empty icon="overview" title="No databases yet">
          <p>A database has the keys with which a client signs its requests. Add one to start.</p>
          {add}
        </Empty>
      ) : (
        <div class="grid">
          {databases.map((database) => (
            <DatabaseCard key={database.databaseName} database={database} />
          ))}
        </div>
      )}
    </>
  );
}

const Endpoint = ({ name, url }: { readonly name: string; readonly url: string | null }) => (
  <div class="grow">
    <span class="faint small">{name}</span>
    {url === null ? (
      <span class="faint">in another process</span>
    ) : (
      <span class="secret row">
        <code>{url}</code>
        <CopyButton value={url} label={`Copy: ${name}`} />
      </span>
    )}
  </div>
);

type CloudPageDatabase = Extract<PageDatabase, { readonly kind: "cloud" }>;

interface DatabaseProps {
  readonly database: PageDatabase;
}

function DatabaseCard({ database }: DatabaseProps) {
  const { databaseName: name, kind, stateName } = database;
  return (
    <article class="card stack" aria-label={name}>
      <CardHead title={name} note={KINDS[kind]}>
        <StateBadge state={stateName} />
      </CardHead>
      {database.kind === "cloud" ? (
        <Usage database={database} />
      ) : (
        <p>{database.targets.length === 0 ? "No targets" : count(database.targets.length, "target")}</p>
      )}
      <Keys database={database} />
      <footer class="row">
        {database.kind === "cloud" && (
          <>
            <LinkButton icon="targets" label="Targets" href={addressOf("targets", { database: name })} />
            <OpenButton icon="code" label="Connect">
              {(close) => <Snippets database={database} onClose={close} />}
            </OpenButton>
          </>
        )}
        <span class="grow" />
        <OpenButton kind="bare" icon="edit" label={`Settings of ${name}`}>
          {(close) => <ChangeDatabase database={database} onClose={close} />}
        </OpenButton>
        <ConfirmButton
          kind="bare"
          icon="trash"
          label={`Delete ${name}`}
          title={`Delete ${name}?`}
          action="Delete"
          onConfirm={() => attempt(() => ask("DELETE", pathOf(`${kind}_databases`, name)), `Deleted ${name}`)}
        >
          This also deletes its targets, reports and rate-limit history. Clients will get 401.
        </ConfirmButton>
      </footer>
    </article>
  );
}

/** The targets of a cloud database by status, and its use of its limits. */
function Usage({ database }: { readonly database: CloudPageDatabase }) {
  const { counts, targetQuota, requestsPerSecondLimit: perSecond } = database;
  const used = Object.values(counts).reduce((sum, each) => sum + each, 0);
  const limits = commaSeparated(
    perSecond !== null && `${count(perSecond, "request")} a second`,
    database.requestRateLimits !== null && "by group of endpoints",
  );
  return (
    <>
      <StatusBar counts={counts} all={used} />
      <div class="stack small">
        <div class="row">
          <span class="faint grow">Target quota</span>
          <span>
            {number(used)} of {number(targetQuota)} targets
          </span>
        </div>
        <Bar role="meter" label="Target quota" part={used / Math.max(1, targetQuota)} />
        <div class="row">
          <span class="faint grow">Recognitions</span>
          <span>
            <b>{number(database.currentMonthRecos)}</b> this month,{" "}
            <b>{number(database.previousMonthRecos)}</b> last month
          </span>
        </div>
        {limits !== "" && (
          <div class="row">
            <span class="faint grow">Rate limit</span>
            <span>{limits}</span>
          </div>
        )}
      </div>
    </>
  );
}

function Keys({ database }: DatabaseProps) {
  const secret = (name: string, value: string) => {
    const label = `${name} key of ${database.databaseName}`;
    return [name, <Secret value={value} label={label} hidden={name.endsWith("secret")} />] as const;
  };
  return (
    <Facts
      class="sunken"
      facts={[
        secret("Server access", database.serverAccessKey),
        secret("Server secret", database.serverSecretKey),
        ...(database.kind === "cloud"
          ? [
              secret("Client access", database.clientAccessKey),
              secret("Client secret", database.clientSecretKey),
            ]
          : []),
      ]}
    />
  );
}

function StatusBar({ counts, all }: { readonly counts: CloudPageDatabase["counts"]; readonly all: number }) {
  const { active, inactive, processing, failed } = counts;
  const parts = [
    ["success", active + inactive],
    ["processing", processing],
    ["failed", failed],
  ] as const;
  return (
    <div class="stack">
      <div class="bar" aria-hidden="true">
        {parts.map(
          ([status, part]) => part > 0 && <span key={status} class={status} style={{ flexGrow: part }} />,
        )}
      </div>
      {all === 0 ? (
        <p class="faint">No targets</p>
      ) : (
        <ul class="row">
          {parts.map(([status, part]) => (
            <li key={status} class={part === 0 ? "row small faint" : "row small"}>
              <span class={`dot ${status}`} aria-hidden="true" />
              <b>{number(part)}</b> {STATUSES[status].text}
            </li>
          ))}
          {inactive > 0 && (
            <li>
              <Badge tone="off">{number(inactive)} Inactive</Badge>
            </li>
          )}
        </ul>
      )}
    </div>
  );
}

import type { PageCloudDatabase, PageVuMarkDatabase } from "../../model.ts";
import { CopyButton, LinkButton, OpenButton, Secret } from "../parts/controls.tsx";
import { Confirm } from "../parts/dialogs.tsx";
import { Badge, Bar, CardHead, Empty, STATUSES, StateBadge } from "../parts/facts.tsx";
import { ask, attempt, pathOf } from "../state/api.ts";
import { state } from "../state/connection.ts";
import { count, number } from "../state/format.ts";
import { addressOf } from "../state/route.ts";
import { AddDatabase, DatabaseSettings, KINDS, Snippets } from "./database-dialogs.tsx";

/** The servers and databases. */
export function Overview() {
  if (state.value === null) return null;
  const { urls, cloudDatabases, vuMarkDatabases } = state.value;
  const isEmpty = cloudDatabases.length + vuMarkDatabases.length === 0;
  const add = (
    <OpenButton kind="main" icon="plus" label="Add database">
      {(close) => <AddDatabase onClose={close} />}
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
      {isEmpty ? (
        <Empty icon="overview" title="No databases yet">
          <p>A database has the keys with which a client signs its requests. Add one to start.</p>
          {add}
        </Empty>
      ) : (
        <div class="cards">
          {cloudDatabases.map((database) => (
            <CloudCard key={database.databaseName} database={database} />
          ))}
          {vuMarkDatabases.map((database) => (
            <VuMarkCard key={database.databaseName} database={database} />
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
      <span class="secret">
        <code>{url}</code>
        <CopyButton value={url} label={`Copy: ${name}`} />
      </span>
    )}
  </div>
);

function CloudCard({ database }: { readonly database: PageCloudDatabase }) {
  const { databaseName: name, counts, targetQuota, requestsPerSecondLimit: perSecond } = database;
  const used = Object.values(counts).reduce((sum, each) => sum + each, 0);
  const limits = [
    perSecond === null ? [] : `${count(perSecond, "request")} a second`,
    database.requestRateLimits === null ? [] : "by group of endpoints",
  ].flat();
  return (
    <article class="card stack" aria-label={name}>
      <CardHead title={name} note={KINDS.cloud_databases}>
        <StateBadge state={database.stateName} />
      </CardHead>
      <StatusBar counts={counts} all={used} />
      <div class="numbers stack small">
        <div class="row between">
          <span class="faint">Target quota</span>
          <span>
            {number(used)} of {number(targetQuota)} targets
          </span>
        </div>
        <Bar role="meter" label="Target quota" part={used / Math.max(1, targetQuota)} />
        <div class="row between">
          <span class="faint">Recognitions</span>
          <span>
            <b>{number(database.currentMonthRecos)}</b> this month,{" "}
            <b>{number(database.previousMonthRecos)}</b> last month
          </span>
        </div>
        {limits.length > 0 && (
          <div class="row between">
            <span class="faint">Rate limit</span>
            <span>{limits.join(", ")}</span>
          </div>
        )}
      </div>
      <Keys database={database} />
      <footer class="row">
        <LinkButton icon="targets" label="Targets" href={addressOf("targets", { database: name })} />
        <OpenButton icon="code" label="Use it">
          {(close) => <Snippets database={database} onClose={close} />}
        </OpenButton>
        <EditButtons kind="cloud_databases" database={database} />
      </footer>
    </article>
  );
}

const VuMarkCard = ({ database }: { readonly database: PageVuMarkDatabase }) => (
  <article class="card stack" aria-label={database.databaseName}>
    <CardHead title={database.databaseName} note={KINDS.vumark_databases}>
      <StateBadge state={database.stateName} />
    </CardHead>
    <p>{database.targets.length === 0 ? "No targets" : count(database.targets.length, "target")}</p>
    <Keys database={database} />
    <footer class="row">
      <EditButtons kind="vumark_databases" database={database} />
    </footer>
  </article>
);

interface DatabaseProps {
  readonly kind: keyof typeof KINDS;
  readonly database: PageCloudDatabase | PageVuMarkDatabase;
}

const EditButtons = ({ kind, database }: DatabaseProps) => {
  const { databaseName: name } = database;
  return (
    <>
      <span class="grow" />
      <OpenButton kind="quiet" bare icon="edit" label={`Settings of ${name}`}>
        {(close) => <DatabaseSettings database={database} onClose={close} />}
      </OpenButton>
      <OpenButton kind="quiet" bare icon="trash" label={`Delete ${name}`}>
        {(close) => (
          <Confirm
            title={`Delete ${name}?`}
            action="Delete"
            onConfirm={() => attempt(() => ask("DELETE", pathOf(kind, name)), `Deleted ${name}`)}
            onClose={close}
          >
            This also deletes its targets, reports and rate-limit history. Clients will get 401.
          </Confirm>
        )}
      </OpenButton>
    </>
  );
};

/** The keys of a database; secrets are hidden until someone shows them. */
const Keys = ({ database }: Pick<DatabaseProps, "database">) => (
  <dl class="sunken keys">
    {Object.entries({
      "Server access": database.serverAccessKey,
      "Server secret": database.serverSecretKey,
      ...("clientAccessKey" in database && {
        "Client access": database.clientAccessKey,
        "Client secret": database.clientSecretKey,
      }),
    }).map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>
          <Secret
            value={value}
            label={`${name} key of ${database.databaseName}`}
            hidden={name.endsWith("secret")}
          />
        </dd>
      </div>
    ))}
  </dl>
);

/** The numbers of targets by status, as a bar and as text. */
function StatusBar({ counts, all }: { readonly counts: PageCloudDatabase["counts"]; readonly all: number }) {
  const { active, inactive, processing, failed } = counts;
  const parts = [
    ["success", active + inactive],
    ["processing", processing],
    ["failed", failed],
  ] as const;
  return (
    <div class="stack statuses">
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
              <span class={`swatch ${status}`} aria-hidden="true" />
              <b>{number(part)}</b> {STATUSES[status]}
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

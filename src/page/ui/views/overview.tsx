import { useSignal } from "@preact/signals";
import type { DatabaseState } from "../../../schema/cloud-database.ts";
import type { PageCloudDatabase, PageVuMarkDatabase } from "../../model.ts";
import { Button, CopyButton, Empty } from "../parts/controls.tsx";
import { Confirm } from "../parts/dialogs.tsx";
import { StateBadge } from "../parts/facts.tsx";
import { Icon } from "../parts/icons.tsx";
import { ask, attempt, pathOf } from "../state/api.ts";
import { state } from "../state/connection.ts";
import { count, number } from "../state/format.ts";
import { addressOf } from "../state/route.ts";
import { Keys, StatusBar } from "./database-facts.tsx";
import { AddDatabase, CloudDatabaseSettings, VuMarkDatabaseSettings } from "./database-forms.tsx";
import { Snippets } from "./snippets.tsx";

/** The servers and databases. */
export function Overview() {
  const adding = useSignal(false);
  const { urls, cloudDatabases, vuMarkDatabases } = state.value ?? {};
  if (urls === undefined || cloudDatabases === undefined || vuMarkDatabases === undefined) return null;
  const isEmpty = cloudDatabases.length + vuMarkDatabases.length === 0;
  const add = (
    <Button
      kind="main"
      icon="plus"
      label="Add database"
      onClick={() => {
        adding.value = true;
      }}
    />
  );
  return (
    <>
      <header class="view-head">
        <h1>Overview</h1>
        {!isEmpty && add}
      </header>
      <section aria-label="Servers" class="endpoints">
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
      {adding.value && (
        <AddDatabase
          onClose={() => {
            adding.value = false;
          }}
        />
      )}
    </>
  );
}

const Endpoint = ({ name, url }: { readonly name: string; readonly url: string | null }) => (
  <div class="endpoint">
    <span class="endpoint-name">{name}</span>
    {url === null ? (
      <span class="faint">in another process</span>
    ) : (
      <span class="endpoint-url">
        <code>{url}</code>
        <CopyButton value={url} label={`Copy: ${name}`} />
      </span>
    )}
  </div>
);

function CloudCard({ database }: { readonly database: PageCloudDatabase }) {
  const open = useSignal<"snippets" | "settings" | "delete" | null>(null);
  const { databaseName: name, counts, targetQuota, requestsPerSecondLimit: perSecond } = database;
  const close = () => {
    open.value = null;
  };
  const used = Object.values(counts).reduce((sum, each) => sum + each, 0);
  return (
    <article class="card" aria-label={name}>
      <CardHeader name={name} kind="Cloud recognition" state={database.stateName} />
      <StatusBar counts={counts} />
      <div class="numbers">
        <div>
          <span class="faint">Target quota</span>
          <meter min={0} max={Math.max(1, targetQuota)} value={used} aria-label="Target quota" />
          <span>{`${number(used)} of ${number(targetQuota)} targets`}</span>
        </div>
        <div>
          <span class="faint">Recognitions</span>
          <span>
            <b>{database.currentMonthRecos.toLocaleString("en-GB")}</b> this month,{" "}
            <b>{database.previousMonthRecos.toLocaleString("en-GB")}</b> last month
          </span>
        </div>
        {(perSecond !== null || database.requestRateLimits !== null) && (
          <div>
            <span class="faint">Rate limit</span>
            <span>
              {[
                perSecond === null ? [] : `${count(perSecond, "request")} a second`,
                database.requestRateLimits === null ? [] : "by group of endpoints",
              ]
                .flat()
                .join(", ")}
            </span>
          </div>
        )}
      </div>
      <Keys
        database={name}
        keys={[
          ["Server access", database.serverAccessKey, false],
          ["Server secret", database.serverSecretKey, true],
          ["Client access", database.clientAccessKey, false],
          ["Client secret", database.clientSecretKey, true],
        ]}
      />
      <footer>
        <a class="button plain" href={addressOf("targets", { database: name })}>
          <Icon name="targets" />
          <span>Targets</span>
        </a>
        <Button
          icon="code"
          label="Use it"
          onClick={() => {
            open.value = "snippets";
          }}
        />
        <EditButtons
          name={name}
          onOpen={(dialog) => {
            open.value = dialog;
          }}
        />
      </footer>
      {open.value === "snippets" && <Snippets database={database} onClose={close} />}
      {open.value === "settings" && <CloudDatabaseSettings database={database} onClose={close} />}
      {open.value === "delete" && <DeleteDatabase kind="cloud_databases" name={name} onClose={close} />}
    </article>
  );
}

function VuMarkCard({ database }: { readonly database: PageVuMarkDatabase }) {
  const open = useSignal<"settings" | "delete" | null>(null);
  const { databaseName: name } = database;
  const close = () => {
    open.value = null;
  };
  return (
    <article class="card" aria-label={name}>
      <CardHeader name={name} kind="VuMark" state={database.stateName} />
      <p>{database.targets.length === 0 ? "No targets" : count(database.targets.length, "target")}</p>
      <Keys
        database={name}
        keys={[
          ["Server access", database.serverAccessKey, false],
          ["Server secret", database.serverSecretKey, true],
        ]}
      />
      <footer>
        <EditButtons
          name={name}
          onOpen={(dialog) => {
            open.value = dialog;
          }}
        />
      </footer>
      {open.value === "settings" && <VuMarkDatabaseSettings database={database} onClose={close} />}
      {open.value === "delete" && <DeleteDatabase kind="vumark_databases" name={name} onClose={close} />}
    </article>
  );
}

interface CardHeaderProps {
  readonly name: string;
  readonly kind: string;
  readonly state: DatabaseState;
}

const CardHeader = ({ name, kind, state }: CardHeaderProps) => (
  <header>
    <div class="card-title">
      <h2 title={name}>{name}</h2>
      <p class="faint">{kind}</p>
    </div>
    <StateBadge state={state} />
  </header>
);

interface EditButtonsProps {
  readonly name: string;
  readonly onOpen: (dialog: "settings" | "delete") => void;
}

const EditButtons = ({ name, onOpen }: EditButtonsProps) => (
  <>
    <span class="spacer" />
    <Button kind="quiet" bare icon="edit" label={`Settings of ${name}`} onClick={() => onOpen("settings")} />
    <Button kind="quiet" bare icon="trash" label={`Delete ${name}`} onClick={() => onOpen("delete")} />
  </>
);

interface DeleteProps {
  readonly kind: "cloud_databases" | "vumark_databases";
  readonly name: string;
  readonly onClose: () => void;
}

const DeleteDatabase = ({ kind, name, onClose }: DeleteProps) => (
  <Confirm
    title={`Delete ${name}?`}
    action="Delete"
    onConfirm={() => attempt(() => ask("DELETE", pathOf(kind, name)), `Deleted ${name}`)}
    onClose={onClose}
  >
    This also deletes its targets, reports and rate-limit history. Clients will get 401.
  </Confirm>
);

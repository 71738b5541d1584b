import { useSignal } from "@preact/signals";
import type { PageCloudDatabase, PageDatabaseState, PageVuMarkDatabase } from "../../page-data.ts";
import { Button, CopyButton, Empty } from "../parts/controls.tsx";
import { Confirm } from "../parts/dialogs.tsx";
import { StateBadge } from "../parts/facts.tsx";
import { Icon } from "../parts/icons.tsx";
import { ask, attempt, pathOf } from "../state/api.ts";
import { state } from "../state/connection.ts";
import { addressOf } from "../state/route.ts";
import { text } from "../text.ts";
import { Keys, StatusBar } from "./database-facts.tsx";
import { AddDatabase, CloudDatabaseSettings, VuMarkDatabaseSettings } from "./database-forms.tsx";
import { Snippets } from "./snippets.tsx";

const words = text.overview;

/** The servers and databases. */
export function Overview() {
  const adding = useSignal(false);
  const { urls, cloud_databases, vumark_databases } = state.value ?? {};
  if (urls === undefined || cloud_databases === undefined || vumark_databases === undefined) return null;
  const isEmpty = cloud_databases.length + vumark_databases.length === 0;
  const add = (
    <Button
      kind="main"
      icon="plus"
      label={words.addDatabase}
      onClick={() => {
        adding.value = true;
      }}
    />
  );
  return (
    <>
      <header class="view-head">
        <h1>{text.views.overview}</h1>
        {!isEmpty && add}
      </header>
      <section aria-label={words.endpoints} class="endpoints">
        <Endpoint name={words.target} url={urls.target} />
        <Endpoint name={words.query} url={urls.query} />
        <Endpoint name={words.manager} url={urls.manager} />
      </section>
      {isEmpty ? (
        <Empty icon="overview" title={words.emptyTitle}>
          <p>{words.empty}</p>
          {add}
        </Empty>
      ) : (
        <div class="cards">
          {cloud_databases.map((database) => (
            <CloudCard key={database.database_name} database={database} />
          ))}
          {vumark_databases.map((database) => (
            <VuMarkCard key={database.database_name} database={database} />
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
      <span class="faint">{words.elsewhere}</span>
    ) : (
      <span class="endpoint-url">
        <code>{url}</code>
        <CopyButton value={url} label={`${text.copy}: ${name}`} />
      </span>
    )}
  </div>
);

function CloudCard({ database }: { readonly database: PageCloudDatabase }) {
  const open = useSignal<"snippets" | "settings" | "delete" | null>(null);
  const { database_name: name, counts, target_quota, requests_per_second_limit: perSecond } = database;
  const close = () => {
    open.value = null;
  };
  const used = counts.success + counts.processing + counts.failed;
  return (
    <article class="card" aria-label={name}>
      <CardHeader name={name} kind={words.cloud} state={database.state_name} />
      <StatusBar counts={counts} />
      <div class="numbers">
        <div>
          <span class="faint">{words.quotaLabel}</span>
          <meter min={0} max={Math.max(1, target_quota)} value={used} aria-label={words.quotaLabel} />
          <span>{words.quota(used, target_quota)}</span>
        </div>
        <div>
          <span class="faint">{words.recos}</span>
          <span>
            <b>{database.current_month_recos.toLocaleString("en-GB")}</b> {words.recosThisMonth},{" "}
            <b>{database.previous_month_recos.toLocaleString("en-GB")}</b> {words.recosBefore}
          </span>
        </div>
        {(perSecond !== null || database.request_rate_limits !== null) && (
          <div>
            <span class="faint">{words.rateLimit}</span>
            <span>
              {[
                perSecond === null ? [] : words.perSecond(perSecond),
                database.request_rate_limits === null ? [] : words.groups,
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
          [words.serverAccess, database.server_access_key, false],
          [words.serverSecret, database.server_secret_key, true],
          [words.clientAccess, database.client_access_key, false],
          [words.clientSecret, database.client_secret_key, true],
        ]}
      />
      <footer>
        <a class="button plain" href={addressOf("targets", { database: name })}>
          <Icon name="targets" />
          <span>{words.openTargets}</span>
        </a>
        <Button
          icon="code"
          label={words.snippets}
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
  const { database_name: name } = database;
  const close = () => {
    open.value = null;
  };
  return (
    <article class="card" aria-label={name}>
      <CardHeader name={name} kind={words.vumark} state={database.state_name} />
      <p>
        {database.vumark_targets.length === 0
          ? words.noTargets
          : text.targets(database.vumark_targets.length)}
      </p>
      <Keys
        database={name}
        keys={[
          [words.serverAccess, database.server_access_key, false],
          [words.serverSecret, database.server_secret_key, true],
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
  readonly state: PageDatabaseState;
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
    <Button
      kind="quiet"
      bare
      icon="edit"
      label={words.settingsTitle(name)}
      onClick={() => onOpen("settings")}
    />
    <Button
      kind="quiet"
      bare
      icon="trash"
      label={`${text.remove} ${name}`}
      onClick={() => onOpen("delete")}
    />
  </>
);

interface DeleteProps {
  readonly kind: "cloud_databases" | "vumark_databases";
  readonly name: string;
  readonly onClose: () => void;
}

const DeleteDatabase = ({ kind, name, onClose }: DeleteProps) => (
  <Confirm
    title={words.deleteTitle(name)}
    action={text.remove}
    onConfirm={() => attempt(() => ask("DELETE", pathOf(kind, name)), words.deleted(name))}
    onClose={onClose}
  >
    {words.deleteText}
  </Confirm>
);

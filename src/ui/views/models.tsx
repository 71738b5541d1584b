import { useComputed, useSignal } from "@preact/signals";
import type { ComponentChild } from "preact";
import type { PageDataset, PageVuMarkDatabase } from "../../servers/page/page-data.ts";
import { Button, Field, FormDialog, Secret } from "../parts/controls.tsx";
import { Badge, Facts, Moment, StatusBadge } from "../parts/facts.tsx";
import { ask, attempt, pathOf } from "../state/api.ts";
import { emulatorNow, processingLeft } from "../state/clock.ts";
import { state } from "../state/connection.ts";
import { text } from "../text.ts";

const words = text.models;

/** Model Target datasets, OAuth 2.0 credentials and VuMark targets. */
export function Models() {
  const { datasets = [], credentials = [], vumark_databases = [] } = state.value ?? {};
  return (
    <>
      <header class="view-head">
        <h1>{text.views.models}</h1>
      </header>
      <Group title={words.datasets} empty={words.noDatasets}>
        {datasets.map((dataset) => (
          <Dataset key={dataset.uuid} dataset={dataset} />
        ))}
      </Group>
      <Group title={words.credentials} empty={words.noCredentials}>
        {credentials.map(({ client_id, client_secret, scopes }) => (
          <article key={client_id} class="card" aria-label={client_id}>
            <h3 class="mono">{client_id}</h3>
            <Facts
              facts={[
                [words.secret, <Secret value={client_secret} label={`${words.secret} ${client_id}`} />],
                [
                  words.scopes,
                  <span class="row">
                    {scopes.map((scope) => (
                      <Badge key={scope} tone="info">
                        {scope}
                      </Badge>
                    ))}
                  </span>,
                ],
              ]}
            />
            <DeleteFooter
              name={client_id}
              path={pathOf("oauth2_client_credentials", client_id)}
              done={words.deletedCredential}
            />
          </article>
        ))}
      </Group>
      <Group title={words.vumarks} empty={words.noVumarks}>
        {vumark_databases.map((database) => (
          <VuMarks key={database.database_name} database={database} />
        ))}
      </Group>
    </>
  );
}

interface GroupProps {
  readonly title: string;
  /** Shown when there are no cards. */
  readonly empty: string;
  readonly children: readonly ComponentChild[];
}

const Group = ({ title, empty, children }: GroupProps) => (
  <section class="group">
    <h2>{title}</h2>
    {children.length === 0 ? <p class="faint">{empty}</p> : <div class="cards">{children}</div>}
  </section>
);

function Dataset({ dataset }: { readonly dataset: PageDataset }) {
  const left = useComputed(() => processingLeft(dataset, dataset.created_at, emulatorNow.value));
  const { uuid, name, failure_message, warning_message, processing_time_seconds } = dataset;
  const total = processing_time_seconds * 1000;
  const ends = failure_message === null ? "success" : "failed";
  return (
    <article class="card" aria-label={name ?? uuid}>
      <header>
        <div class="card-title">
          <h3>{name ?? words.unnamed}</h3>
          <p class="faint">
            {dataset.family}, {words.models(dataset.models)}
          </p>
        </div>
        <StatusBadge status={left.value > 0 ? "processing" : ends} left={text.duration(left.value / 1000)} />
      </header>
      {left.value > 0 && <progress aria-label={words.processing} max={1} value={1 - left.value / total} />}
      <Facts
        facts={[
          ["UUID", <code>{uuid}</code>],
          [words.created, <Moment at={dataset.created_at} />],
          ...(failure_message === null ? [] : [[words.failed, failure_message] as const]),
          ...(warning_message === null ? [] : [[words.warning, warning_message] as const]),
        ]}
      />
      <DeleteFooter
        name={name ?? uuid}
        path={pathOf("model_target_datasets", uuid)}
        done={words.deletedDataset}
      />
    </article>
  );
}

interface DeleteFooterProps {
  readonly name: string;
  readonly path: string;
  /** The notice after deleting it. */
  readonly done: string;
}

const DeleteFooter = ({ name, path, done }: DeleteFooterProps) => (
  <footer>
    <span class="spacer" />
    <Button
      kind="quiet"
      bare
      icon="trash"
      label={`${text.remove} ${name}`}
      onClick={() => attempt(() => ask("DELETE", path), done)}
    />
  </footer>
);

function VuMarks({ database }: { readonly database: PageVuMarkDatabase }) {
  const adding = useSignal(false);
  const { database_name: name, vumark_targets: targets } = database;
  return (
    <article class="card" aria-label={name}>
      <h3>{name}</h3>
      {targets.length === 0 ? (
        <p class="faint">{words.noTemplates}</p>
      ) : (
        <ul class="templates">
          {targets.map((target) => (
            <li key={target.target_id}>
              <b>{target.name}</b> <code class="faint">{target.target_id}</code>
            </li>
          ))}
        </ul>
      )}
      <footer>
        <Button
          icon="plus"
          label={words.addTemplate}
          onClick={() => {
            adding.value = true;
          }}
        />
      </footer>
      {adding.value && (
        <FormDialog
          title={words.addTemplate}
          action={words.addTemplate}
          onClose={() => {
            adding.value = false;
          }}
          onSubmit={(fields) => {
            const given = String(fields.get("name"));
            const path = pathOf("vumark_databases", name, "vumark_targets");
            return attempt(() => ask("POST", path, { name: given }), words.added(given));
          }}
        >
          <Field label={words.templateName} name="name" required autofocus />
        </FormDialog>
      )}
    </article>
  );
}

import { useComputed, useSignal } from "@preact/signals";
import type { PageDataset, PageVuMarkDatabase } from "../../servers/page/page-data.ts";
import { Button, Dialog, Field, Secret } from "../parts/controls.tsx";
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
      <section class="group">
        <h2>{words.datasets}</h2>
        {datasets.length === 0 ? (
          <p class="faint">{words.noDatasets}</p>
        ) : (
          <div class="cards">
            {datasets.map((dataset) => (
              <Dataset key={dataset.uuid} dataset={dataset} />
            ))}
          </div>
        )}
      </section>
      <section class="group">
        <h2>{words.credentials}</h2>
        {credentials.length === 0 ? (
          <p class="faint">{words.noCredentials}</p>
        ) : (
          <div class="cards">
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
                <footer>
                  <span class="push" />
                  <Button
                    kind="quiet"
                    bare
                    icon="trash"
                    label={`${text.remove} ${client_id}`}
                    onClick={() =>
                      attempt(
                        () => ask("DELETE", pathOf("oauth2_client_credentials", client_id)),
                        words.deletedCredential,
                      )
                    }
                  />
                </footer>
              </article>
            ))}
          </div>
        )}
      </section>
      <section class="group">
        <h2>{words.vumarks}</h2>
        {vumark_databases.length === 0 ? (
          <p class="faint">{words.noVumarks}</p>
        ) : (
          <div class="cards">
            {vumark_databases.map((database) => (
              <VuMarks key={database.database_name} database={database} />
            ))}
          </div>
        )}
      </section>
    </>
  );
}

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
      <footer>
        <span class="push" />
        <Button
          kind="quiet"
          bare
          icon="trash"
          label={`${text.remove} ${name ?? uuid}`}
          onClick={() =>
            attempt(() => ask("DELETE", pathOf("model_target_datasets", uuid)), words.deletedDataset)
          }
        />
      </footer>
    </article>
  );
}

function VuMarks({ database }: { readonly database: PageVuMarkDatabase }) {
  const adding = useSignal(false);
  const { database_name: name, vumark_targets: targets } = database;
  const close = () => {
    adding.value = false;
  };
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
        <Dialog title={words.addTemplate} onClose={close}>
          <form
            onSubmit={async (event) => {
              event.preventDefault();
              const given = String(new FormData(event.currentTarget).get("name"));
              const path = pathOf("vumark_databases", name, "vumark_targets");
              if (await attempt(() => ask("POST", path, { name: given }), words.added(given))) close();
            }}
          >
            <Field label={words.templateName} name="name" required autofocus />
            <footer>
              <Button label={text.cancel} onClick={close} />
              <Button kind="main" submit label={words.addTemplate} />
            </footer>
          </form>
        </Dialog>
      )}
    </article>
  );
}

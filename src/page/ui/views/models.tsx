import { useComputed, useSignal } from "@preact/signals";
import type { ComponentChild, ComponentChildren } from "preact";
import type { TemplateTarget } from "../../../core/schema/database.ts";
import type { ClientCredential } from "../../../core/schema/model-target.ts";
import type { PageDataset, PageModels, PageVuMarkDatabase } from "../../model.ts";
import { Button, Field, LinkButton, OpenButton, Secret, set } from "../parts/controls.tsx";
import { FormDialog } from "../parts/dialogs.tsx";
import { Badge, Bar, CardHead, Facts, Moment, StatusBadge } from "../parts/facts.tsx";
import { ask, attempt, pathOf } from "../state/api.ts";
import { emulatorNow, processingLeft, useRead } from "../state/connection.ts";
import { count, duration } from "../state/format.ts";
import { ReportCard } from "./reports.tsx";

export function Models() {
  const {
    datasets = [],
    credentials = [],
    vuMarkDatabases = [],
    reports = [],
  } = useRead<PageModels>("models").value ?? {};
  return (
    <>
      <header class="view-head row">
        <h1>Models & VuMarks</h1>
      </header>
      <Group
        title="Model Target datasets"
        empty="No datasets. Clients create them with the Model Target API."
      >
        {datasets.map((dataset) => (
          <Dataset key={dataset.uuid} dataset={dataset} />
        ))}
      </Group>
      <Group title="OAuth 2.0 client credentials" empty="No credentials.">
        {credentials.map((credential) => (
          <Credential key={credential.clientId} {...credential} />
        ))}
      </Group>
      <Group title="Recognition-counts reports" empty="No reports. Clients request them with the target API.">
        {reports.map((report) => (
          <ReportCard key={`${report.databaseId} ${report.file}`} report={report} />
        ))}
      </Group>
      <Group title="VuMark databases" empty="No VuMark databases.">
        {vuMarkDatabases.map((database) => (
          <VuMarks key={database.databaseName} database={database} />
        ))}
      </Group>
    </>
  );
}

interface GroupProps {
  readonly title: string;
  readonly empty: string;
  readonly children: readonly ComponentChild[];
}

const Group = ({ title, empty, children }: GroupProps) => (
  <section class="stack">
    <h2>{title}</h2>
    {children.length === 0 ? <p class="faint card">{empty}</p> : <div class="grid">{children}</div>}
  </section>
);

function Dataset({ dataset }: { readonly dataset: PageDataset }) {
  const left = useComputed(() => processingLeft(dataset, dataset.createdAt, emulatorNow.value));
  const { uuid, name, createdAt, generationFailureMessage, generationWarning, processingTimeSeconds } =
    dataset;
  const total = processingTimeSeconds * 1000;
  const isProcessing = left.value > 0;
  const ends = generationFailureMessage === null ? "success" : "failed";
  return (
    <article class="card stack" aria-label={name ?? uuid}>
      <CardHead
        title={name ?? "unnamed"}
        note={`${dataset.datasetTypeName}, ${count(dataset.models, "model")}`}
      >
        <StatusBadge status={isProcessing ? "processing" : ends} left={duration(left.value / 1000)} />
      </CardHead>
      {isProcessing && <Bar role="progressbar" label="Processing" part={1 - left.value / total} />}
      <ol aria-label="Timeline">
        <li class="row">
          <Badge tone="info">Created</Badge>
          <Moment at={createdAt} />
        </li>
        <li class="row">
          <Badge tone={isProcessing ? "busy" : ends === "failed" ? "bad" : "good"}>
            {isProcessing ? "Processing until" : ends === "failed" ? "Failed" : "Done"}
          </Badge>
          {dataset.processed && !isProcessing ? (
            <span class="faint">finished early</span>
          ) : (
            <Moment at={createdAt + total} />
          )}
        </li>
      </ol>
      <Facts
        facts={[
          ["UUID", <code>{uuid}</code>],
          ["Why", generationFailureMessage],
          ["Warning", generationWarning?.message],
        ]}
      />
      <DeleteFooter
        name={name ?? uuid}
        path={pathOf("model_target_datasets", uuid)}
        done="Deleted the dataset"
      >
        {!isProcessing && generationFailureMessage === null && (
          <LinkButton
            icon="download"
            label="Download"
            href={pathOf("page", "datasets", uuid)}
            download={`${uuid}.zip`}
          />
        )}
      </DeleteFooter>
    </article>
  );
}

const Credential = ({ clientId, clientSecret, scopes }: ClientCredential) => (
  <article class="card stack" aria-label={clientId}>
    <h3 class="mono grow">{clientId}</h3>
    <Facts
      facts={[
        ["Client secret", <Secret value={clientSecret} label={`Client secret ${clientId}`} />],
        [
          "Scopes",
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
      name={clientId}
      path={pathOf("oauth2_client_credentials", clientId)}
      done="Deleted the credential"
    />
  </article>
);

interface DeleteFooterProps {
  readonly name: string;
  readonly path: string;
  readonly done: string;
  readonly children?: ComponentChildren;
}

const DeleteFooter = ({ name, path, done, children }: DeleteFooterProps) => (
  <footer class="row">
    {children}
    <span class="grow" />
    <Button
      kind="bare"
      icon="trash"
      label={`Delete ${name}`}
      onClick={() => attempt(() => ask("DELETE", path), done)}
    />
  </footer>
);

function VuMarks({ database: { databaseName, targets } }: { readonly database: PageVuMarkDatabase }) {
  const add = (name: string) =>
    ask("POST", pathOf("vumark_databases", databaseName, "vumark_targets"), { name });
  return (
    <article class="card stack" aria-label={databaseName}>
      <h3>{databaseName}</h3>
      {targets.length === 0 ? (
        <p class="faint">No VuMark targets.</p>
      ) : (
        <ul>
          {targets.map((target) => (
            <li key={target.targetId}>
              <Template database={databaseName} target={target} />
            </li>
          ))}
        </ul>
      )}
      <footer class="row">
        <OpenButton icon="plus" label="Add a VuMark target">
          {(close) => (
            <FormDialog
              title="Add a VuMark target"
              action="Add a VuMark target"
              onClose={close}
              onSubmit={(fields) => {
                const name = String(fields.get("name"));
                return attempt(() => add(name), `Added ${name}`);
              }}
            >
              <Field label="Name of the VuMark target" name="name" required autofocus />
            </FormDialog>
          )}
        </OpenButton>
      </footer>
    </article>
  );
}

/** A VuMark target, and an instance of it for an id that is typed. */
function Template({ database, target }: { readonly database: string; readonly target: TemplateTarget }) {
  const id = useSignal("");
  const failed = useSignal("");
  const left = useComputed(() => processingLeft(target, target.lastModifiedDate, emulatorNow.value));
  return (
    <>
      <b>{target.name}</b> <code class="faint">{target.targetId}</code>
      {left.value > 0 ? (
        <p class="faint">Processing, {duration(left.value / 1000)} left</p>
      ) : (
        <Field
          label="Instance id"
          hint="Type an id to see what the VuMark API answers"
          value={id.value}
          onInput={({ currentTarget }) => set(id, currentTarget.value)}
        />
      )}
      {left.value === 0 &&
        id.value !== "" &&
        (failed.value === id.value ? (
          <p class="faint" role="status">
            The manager cannot draw this id.
          </p>
        ) : (
          <img
            class="instance"
            src={pathOf("page", "instances", target.targetId, { database, id: id.value })}
            alt={`Instance for ${id.value}`}
            onError={() => set(failed, id.peek())}
          />
        ))}
    </>
  );
}

import { useComputed } from "@preact/signals";
import type { ComponentChild, ComponentChildren } from "preact";
import type { PageDataset } from "../../model.ts";
import { Button, Secret } from "../parts/controls.tsx";
import { Badge, Facts, Moment, StatusBadge } from "../parts/facts.tsx";
import { Icon } from "../parts/icons.tsx";
import { ask, attempt, pathOf } from "../state/api.ts";
import { emulatorNow, processingLeft } from "../state/clock.ts";
import { state } from "../state/connection.ts";
import { count, duration } from "../state/format.ts";
import { Report } from "./reports.tsx";
import { VuMarks } from "./vumarks.tsx";

/** Model Target datasets, OAuth 2.0 credentials, reports and VuMark targets. */
export function Models() {
  const { datasets = [], credentials = [], vuMarkDatabases = [], reports = [] } = state.value ?? {};
  return (
    <>
      <header class="view-head">
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
        {credentials.map(({ clientId, clientSecret, scopes }) => (
          <article key={clientId} class="card" aria-label={clientId}>
            <h3 class="mono">{clientId}</h3>
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
        ))}
      </Group>
      <Group title="Recognition-counts reports" empty="No reports. Clients request them with the target API.">
        {reports.map((report) => (
          <Report key={`${report.databaseId} ${report.file}`} report={report} />
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

/** A badge of a moment in a dataset's processing. */
interface Step {
  readonly at: number | null;
  readonly tone: "info" | "busy" | "good" | "bad";
  readonly label: string;
}

const Timeline = ({ steps }: { readonly steps: readonly Step[] }) => (
  <ol class="timeline dataset-timeline" aria-label="Timeline">
    {steps.map(({ at, tone, label }) => (
      <li key={label}>
        <Badge tone={tone}>{label}</Badge>
        {at === null ? <span class="faint">finished early</span> : <Moment at={at} />}
      </li>
    ))}
  </ol>
);

function Dataset({ dataset }: { readonly dataset: PageDataset }) {
  const left = useComputed(() => processingLeft(dataset, dataset.createdAt, emulatorNow.value));
  const { uuid, name, generationFailureMessage, generationWarning, processingTimeSeconds } = dataset;
  const total = processingTimeSeconds * 1000;
  const end = dataset.createdAt + total;
  const ends = generationFailureMessage === null ? "success" : "failed";
  return (
    <article class="card" aria-label={name ?? uuid}>
      <header>
        <div class="card-title">
          <h3>{name ?? "unnamed"}</h3>
          <p class="faint">
            {dataset.datasetTypeName}, {count(dataset.models, "model")}
          </p>
        </div>
        <StatusBadge status={left.value > 0 ? "processing" : ends} left={duration(left.value / 1000)} />
      </header>
      {left.value > 0 && <progress aria-label="Processing" max={1} value={1 - left.value / total} />}
      <Timeline
        steps={[
          { at: dataset.createdAt, tone: "info", label: "Created" },
          left.value > 0
            ? { at: end, tone: "busy", label: "Processing until" }
            : {
                at: dataset.processed ? null : end,
                tone: ends === "failed" ? "bad" : "good",
                label: ends === "failed" ? "Failed" : "Done",
              },
        ]}
      />
      <Facts
        facts={[
          ["UUID", <code>{uuid}</code>],
          ...(generationFailureMessage === null ? [] : [["Why", generationFailureMessage] as const]),
          ...(generationWarning === null ? [] : [["Warning", generationWarning.message] as const]),
        ]}
      />
      <DeleteFooter
        name={name ?? uuid}
        path={pathOf("model_target_datasets", uuid)}
        done="Deleted the dataset"
      >
        {left.value === 0 && generationFailureMessage === null && (
          <a class="button plain" href={pathOf("page", "datasets", uuid)} download={`${uuid}.zip`}>
            <Icon name="download" />
            <span>Download</span>
          </a>
        )}
      </DeleteFooter>
    </article>
  );
}

interface DeleteFooterProps {
  readonly name: string;
  readonly path: string;
  /** The notice after deleting it. */
  readonly done: string;
  /** What else can be done with it. */
  readonly children?: ComponentChildren;
}

const DeleteFooter = ({ name, path, done, children }: DeleteFooterProps) => (
  <footer>
    {children}
    <span class="spacer" />
    <Button
      kind="quiet"
      bare
      icon="trash"
      label={`Delete ${name}`}
      onClick={() => attempt(() => ask("DELETE", path), done)}
    />
  </footer>
);

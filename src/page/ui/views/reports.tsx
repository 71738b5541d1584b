import { useComputed, useSignal } from "@preact/signals";
import type { PageReport, PageReportRow } from "../../model.ts";
import { Button } from "../parts/controls.tsx";
import { Dialog } from "../parts/dialogs.tsx";
import { Badge, Facts, Moment } from "../parts/facts.tsx";
import { Icon } from "../parts/icons.tsx";
import { askJson, attempt, pathOf } from "../state/api.ts";
import { emulatorNow, processingLeft } from "../state/clock.ts";
import { state } from "../state/connection.ts";
import { count, duration, number } from "../state/format.ts";

/** Maximum number of rows that the page shows. */
const MAX_ROWS = 500;

/** A recognition-counts report that a client requested. */
export function Report({ report }: { readonly report: PageReport }) {
  const rows = useSignal<readonly PageReportRow[] | null>(null);
  const left = useComputed(() => processingLeft(report, report.requestedAt, emulatorNow.value));
  const { databaseId, file } = report;
  const databaseName =
    state.value?.cloudDatabases.find((database) => database.databaseId === databaseId)?.databaseName ??
    databaseId;
  const title = `Report ${file} of ${databaseName}`;
  const query = new URLSearchParams({ database: databaseId });
  return (
    <article class="card" aria-label={title}>
      <header>
        <div class="card-title">
          <h3>{file}</h3>
          <p class="faint">{databaseName}</p>
        </div>
        {left.value > 0 ? (
          <Badge tone="busy" icon="clock">
            {`${duration(left.value / 1000)} left`}
          </Badge>
        ) : (
          <Badge tone="good" icon="done">
            Ready
          </Badge>
        )}
      </header>
      <Facts
        facts={[
          ["Requested", <Moment at={report.requestedAt} />],
          ["Content", count(report.rowCount, "row")],
        ]}
      />
      <footer>
        <Button
          label="Show rows"
          onClick={() =>
            attempt(async () => {
              rows.value = await askJson("GET", `${pathOf("page", "reports", file)}?${query}`);
            })
          }
        />
        {left.value === 0 && (
          <a
            class="button plain"
            href={`${pathOf("page", "reports", `${file}.csv`)}?${query}`}
            download={`${file}.csv`}
          >
            <Icon name="download" />
            <span>Download CSV</span>
          </a>
        )}
      </footer>
      {rows.value !== null && (
        <Dialog
          title={title}
          onClose={() => {
            rows.value = null;
          }}
        >
          <Rows rows={rows.value} />
        </Dialog>
      )}
    </article>
  );
}

function Rows({ rows }: { readonly rows: readonly PageReportRow[] }) {
  if (rows.length === 0) return <p class="faint">No target was recognised in that month.</p>;
  return (
    <>
      <table class="report-rows">
        <thead>
          <tr>
            <th scope="col">Target</th>
            <th scope="col">Id</th>
            <th scope="col">Recognitions</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MAX_ROWS).map(({ targetId, name, count }) => (
            <tr key={targetId}>
              <td>{name ?? <span class="faint">deleted</span>}</td>
              <td>
                <code>{targetId}</code>
              </td>
              <td>{number(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MAX_ROWS && (
        <p class="faint">{`and ${count(rows.length - MAX_ROWS, "more row")}; the CSV has all of them`}</p>
      )}
    </>
  );
}

import { useComputed, useSignal } from "@preact/signals";
import type { PageReport, PageReportRow } from "../../model.ts";
import { Button, LinkButton, set } from "../parts/controls.tsx";
import { Dialog } from "../parts/dialogs.tsx";
import { Badge, CardHead, Facts, Moment, StatusBadge } from "../parts/facts.tsx";
import { askJson, attempt, pathOf } from "../state/api.ts";
import { emulatorNow, processingLeft } from "../state/connection.ts";
import { count, duration, number } from "../state/format.ts";

const MAX_ROWS = 500;

export function ReportCard({ report }: { readonly report: PageReport }) {
  const rows = useSignal<readonly PageReportRow[] | null>(null);
  const left = useComputed(() => processingLeft(report, report.requestedAt, emulatorNow.value));
  const { databaseId: database, databaseName, file } = report;
  const title = `Report ${file} of ${databaseName}`;
  return (
    <article class="card stack" aria-label={title}>
      <CardHead title={file} note={databaseName}>
        {left.value > 0 ? (
          <StatusBadge status="processing" left={duration(left.value / 1000)} />
        ) : (
          <Badge tone="good" icon="done">
            Ready
          </Badge>
        )}
      </CardHead>
      <Facts
        facts={[
          ["Requested", <Moment at={report.requestedAt} />],
          ["Content", count(report.rowCount, "row")],
        ]}
      />
      <footer class="row">
        <Button
          label="Show rows"
          onClick={() =>
            attempt(async () => {
              rows.value = await askJson("GET", pathOf("page", "reports", file, { database }));
            })
          }
        />
        {left.value === 0 && (
          <LinkButton
            icon="download"
            label="Download CSV"
            href={pathOf("page", "reports", `${file}.csv`, { database })}
            download={`${file}.csv`}
          />
        )}
      </footer>
      {rows.value !== null && (
        <Dialog title={title} onClose={() => set(rows, null)}>
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
      <table>
        <thead>
          <tr>
            <th scope="col">Target</th>
            <th scope="col">Id</th>
            <th scope="col">Recognitions</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MAX_ROWS).map(({ targetId, name, count: recognitions }) => (
            <tr key={targetId}>
              <td>{name ?? <span class="faint">deleted</span>}</td>
              <td>
                <code>{targetId}</code>
              </td>
              <td>{number(recognitions)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MAX_ROWS && (
        <p class="faint">and {count(rows.length - MAX_ROWS, "more row")}; the CSV has all of them</p>
      )}
    </>
  );
}

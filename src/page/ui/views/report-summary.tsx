import { Badge, Facts, Moment, StatusCode } from "../parts/facts.tsx";
import { requests } from "../state/connection.ts";
import { count, number } from "../state/format.ts";
import { addressOf } from "../state/route.ts";
import { report } from "../state/source.ts";

const EVENTS = { added: "added", updated: "changed", success: "processed", failed: "failed" } as const;
const EVENT_TONES = { added: "info", updated: "info", success: "good", failed: "bad" } as const;

/** The overview of a report. */
export function ReportSummary() {
  if (report === null) return null;
  const { test, createdAt, databases, timeline } = report;
  const refused = requests.value.filter(({ refusedBy }) => refusedBy !== undefined);
  return (
    <>
      <header class="view-head">
        <h1>{test?.name ?? "Report"}</h1>
      </header>
      <div class="report">
        {test?.error !== undefined && (
          <section class="reason">
            <h2>The test failed</h2>
            <pre class="report-error">{test.error}</pre>
          </section>
        )}
        <section class="card">
          <Facts
            facts={[
              ["Written", <Moment at={createdAt} />],
              [
                "Requests",
                <a href={addressOf("requests")}>
                  {count(requests.value.length, "request")}, {`${number(refused.length)} refused`}
                </a>,
              ],
              ...databases.map(
                ({ databaseName, targets, kind, stateName }) =>
                  [
                    databaseName,
                    <span>
                      {kind === "cloud" ? (
                        <a href={addressOf("targets", { database: databaseName })}>
                          {count(targets.length, "target")}
                        </a>
                      ) : (
                        count(targets.length, "target")
                      )}
                      {stateName !== "WORKING" && `, ${stateName}`}
                    </span>,
                  ] as const,
              ),
            ]}
          />
        </section>
        {refused.length > 0 && (
          <section class="card">
            <h2>Refused requests</h2>
            <ul class="refusals">
              {refused.map(({ id, method, path, status, reason }) => (
                <li key={id}>
                  <a href={addressOf("requests", { request: id })}>
                    <StatusCode status={status} /> <code>{`${method} ${path}`}</code>
                  </a>
                  <p>{reason}</p>
                </li>
              ))}
            </ul>
          </section>
        )}
        <section class="card">
          <h2>Timeline</h2>
          {timeline.length === 0 && <p class="faint">No targets were added.</p>}
          <ol class="timeline">
            {timeline.map(({ time, database, targetId, name, event }) => (
              <li key={`${targetId} ${event}`}>
                <Moment at={time} form="time" />
                <Badge tone={EVENT_TONES[event]}>{EVENTS[event]}</Badge>
                <span>
                  <b>{name}</b> <span class="faint">{database}</span>
                </span>
              </li>
            ))}
          </ol>
        </section>
      </div>
    </>
  );
}

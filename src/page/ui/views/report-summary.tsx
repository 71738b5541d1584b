import { Badge, Facts, Moment, StatusCode } from "../parts/facts.tsx";
import { requests } from "../state/connection.ts";
import { addressOf } from "../state/route.ts";
import { report } from "../state/source.ts";
import { text } from "../text.ts";

const words = text.report;
const EVENT_TONES = { added: "info", updated: "info", success: "good", failed: "bad" } as const;

/** The overview of a report. */
export function ReportSummary() {
  if (report === null) return null;
  const { test, createdAt, databases, timeline } = report;
  const refused = requests.value.filter(({ refusedBy }) => refusedBy !== undefined);
  return (
    <>
      <header class="view-head">
        <h1>{test?.name ?? words.title}</h1>
      </header>
      <div class="report">
        {test?.error !== undefined && (
          <section class="reason">
            <h2>{words.failed}</h2>
            <pre class="report-error">{test.error}</pre>
          </section>
        )}
        <section class="card">
          <Facts
            facts={[
              [words.made, <Moment at={Date.parse(createdAt)} />],
              [
                words.requests,
                <a href={addressOf("requests")}>
                  {text.requests(requests.value.length)}, {words.refused(refused.length)}
                </a>,
              ],
              ...databases.map(
                ({ databaseName, targets, kind, stateName }) =>
                  [
                    databaseName,
                    <span>
                      {kind === "cloud" ? (
                        <a href={addressOf("targets", { database: databaseName })}>
                          {text.targets(targets.length)}
                        </a>
                      ) : (
                        text.targets(targets.length)
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
            <h2>{words.refusals}</h2>
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
          <h2>{words.timeline}</h2>
          {timeline.length === 0 && <p class="faint">{words.noTimeline}</p>}
          <ol class="timeline">
            {timeline.map(({ time, database, targetId, name, event }) => (
              <li key={`${targetId} ${event}`}>
                <Moment at={Date.parse(time)} form="time" />
                <Badge tone={EVENT_TONES[event]}>{words.events[event]}</Badge>
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

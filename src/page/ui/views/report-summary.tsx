import { isRefused } from "../../../core/schema/protocol.ts";
import type { PageRequests } from "../../model.ts";
import { Badge, Facts, Moment, StateBadge, StatusCode } from "../parts/facts.tsx";
import { report } from "../state/api.ts";
import { requestCounts, useRead } from "../state/connection.ts";
import { count, number, sentence } from "../state/format.ts";
import { addressOf } from "../state/route.ts";

const EVENTS = {
  added: ["added", "info"],
  updated: ["changed", "info"],
  success: ["processed", "good"],
  failed: ["failed", "bad"],
} as const;

export function ReportSummary() {
  if (report === null) return null;
  const { test, createdAt, databases, timeline } = report;
  const { value: shown } = useRead<PageRequests>("requests");
  const refused = shown?.requests.filter(isRefused) ?? [];
  return (
    <>
      <header class="view-head row">
        <h1>{test?.name ?? "Report"}</h1>
      </header>
      <div class="stack">
        {test?.error !== undefined && (
          <section class="callout bad">
            <h2 class="tone">The test failed</h2>
            <pre>{test.error}</pre>
          </section>
        )}
        <section class="card stack">
          <Facts
            facts={[
              ["Written", <Moment at={createdAt} />],
              [
                "Requests",
                <a href={addressOf("requests")}>
                  {count(requestCounts.value.clients, "request")}, {number(refused.length)} refused
                </a>,
              ],
            ]}
          />
        </section>
        <section class="card stack">
          <h2>Databases</h2>
          {databases.length === 0 && <p class="faint">No databases.</p>}
          <ul>
            {databases.map(({ databaseName, targets, kind, stateName }) => (
              <li key={databaseName} class="row">
                <b class="grow">{databaseName}</b>
                <span class="row">
                  {stateName !== "WORKING" && <StateBadge state={stateName} />}
                  {kind === "cloud" ? (
                    <a href={addressOf("targets", { database: databaseName })}>
                      {count(targets.length, "target")}
                    </a>
                  ) : (
                    count(targets.length, "target")
                  )}
                </span>
              </li>
            ))}
          </ul>
        </section>
        {refused.length > 0 && (
          <section class="card stack">
            <h2>Refused requests</h2>
            <ul>
              {refused.map(({ number: id, method, path, status, reason }) => (
                <li key={id}>
                  <a href={addressOf("requests", { request: String(id) })}>
                    <StatusCode status={status} /> <code>{`${method} ${path}`}</code>
                  </a>
                  {reason !== undefined && <p class="faint">{sentence(reason)}</p>}
                </li>
              ))}
            </ul>
          </section>
        )}
        <section class="card stack">
          <h2>Timeline</h2>
          {timeline.length === 0 && <p class="faint">No targets were added.</p>}
          <ol>
            {timeline.map(({ time, database, targetId, name, event }) => (
              <li key={`${targetId} ${event}`} class="row">
                <Moment at={time} form="time" />
                <Badge tone={EVENTS[event][1]}>{EVENTS[event][0]}</Badge>
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

import "./styles/base.css";
import "./styles/parts.css";
import "./styles/views.css";
import { useComputed } from "@preact/signals";
import { type ComponentType, render } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "./parts/controls.tsx";
import { Notices } from "./parts/dialogs.tsx";
import { Moment } from "./parts/facts.tsx";
import { Icon, Logo } from "./parts/icons.tsx";
import { Shortcuts } from "./parts/shortcuts.tsx";
import { ask, attempt, report } from "./state/api.ts";
import { connect, emulatorSecond, lead, link, requestCounts, state } from "./state/connection.ts";
import { count, duration, number } from "./state/format.ts";
import { addressOf, currentRoute, TITLES, VIEWS, type View } from "./state/route.ts";
import { BackToRealTime, Controls } from "./views/controls.tsx";
import { Models } from "./views/models.tsx";
import { Overview } from "./views/overview.tsx";
import { ReportSummary } from "./views/report-summary.tsx";
import { Requests } from "./views/requests.tsx";
import { Targets } from "./views/targets.tsx";
import { TryPicture } from "./views/try-picture.tsx";

const SHORT_TITLES: Readonly<Partial<Record<View, string>>> = { try: "Try", models: "Models" };
const LINKS = {
  connecting: ["Connecting", "busy"],
  live: ["Live", "good"],
  lost: ["Reconnecting", "bad tone"],
  report: ["Report", "off"],
} as const;

const SHOWN: Readonly<Partial<Record<View, ComponentType>>> = {
  overview: report === null ? Overview : ReportSummary,
  targets: Targets,
  requests: Requests,
  ...(report === null && { try: TryPicture, models: Models, controls: Controls }),
};

/** The frame around all views: navigation, clock, connection state and notices. */
function Shell() {
  const { view } = currentRoute.value;
  const Shown = SHOWN[view] ?? SHOWN.overview ?? Overview;
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  // Before the next event: it never takes the focus from a newer choice.
  useLayoutEffect(() => {
    document.title = `${TITLES[view]} · mock-cloud-reco`;
    if (!first.current) main.current?.focus();
    first.current = false;
  }, [view]);
  return (
    <>
      <div class="shell">
        <header class="top stack">
          <button type="button" class="button row visually-hidden" onClick={() => main.current?.focus()}>
            Skip to content
          </button>
          <a class="brand row roomy" href={addressOf("overview")}>
            <Logo />
            <b>mock-cloud-reco</b>
          </a>
          <Navigation />
          {state.value?.paused === true && (
            <Button
              kind="main"
              icon="play"
              label="Continue"
              onClick={() => attempt(() => ask("POST", "/page/continue"), "The test continues")}
            />
          )}
          <div class="standing stack small roomy">
            <ClockFace />
            <LinkState />
          </div>
        </header>
        <main id="main" class="stack" ref={main} tabIndex={-1}>
          {link.value === "lost" && (
            <p class="callout bad tone row" role="alert">
              <Icon name="warning" />
              The target manager does not answer. The page will reconnect automatically.
            </p>
          )}
          {report === null && <ClockBanner />}
          {state.value === null && report === null ? <p class="empty stack faint">Loading…</p> : <Shown />}
        </main>
      </div>
      <Notices />
      <Shortcuts />
    </>
  );
}

function ClockBanner() {
  const seconds = useComputed(() => Math.round(lead.value / 1000));
  const frozen = state.value?.clock.frozen === true;
  const apart = Math.abs(seconds.value);
  if (!frozen && apart < 2) return null;
  const distance = `${duration(apart)} ${seconds.value > 0 ? "ahead of" : "behind"} real time`;
  return (
    <section class="callout row busy" aria-label="Moved clock">
      <Icon name={frozen ? "snow" : "clock"} />
      <span class="grow">
        <b>{frozen ? `The clock is frozen, ${distance}.` : `The clock is ${distance}.`}</b>{" "}
        {apart < 300
          ? "From 5 minutes on, requests that clients date by real time are refused."
          : "Requests that clients date by real time are refused with RequestTimeTooSkewed: by the target API from 5 minutes on, by the query API from 65."}
      </span>
      <BackToRealTime />
    </section>
  );
}

function Navigation() {
  const { clients, refused } = requestCounts.value;
  return (
    <nav class="stack grow" aria-label="Views">
      {VIEWS.filter((view) => view in SHOWN).map((view) => (
        <a
          key={view}
          class="row"
          href={addressOf(view)}
          aria-current={currentRoute.value.view === view ? "page" : undefined}
        >
          <Icon name={view} />
          <span class="long">{TITLES[view]}</span>
          <span class="short" aria-hidden="true">
            {SHORT_TITLES[view] ?? TITLES[view]}
          </span>
          {view === "requests" && clients > 0 && (
            <>
              <span class="grow roomy" />
              <span
                class={refused > 0 ? "badge row tight bad" : "badge row tight off roomy"}
                title={`${count(clients, "request")}, ${number(refused)} refused`}
              >
                {number(refused > 0 ? refused : clients)}
                <span class="long">{refused > 0 ? " refused" : " in all"}</span>
              </span>
            </>
          )}
        </a>
      ))}
    </nav>
  );
}

function ClockFace() {
  const clock = report === null ? state.value?.clock : { frozen: true };
  if (clock === undefined) return null;
  return (
    <span class={clock.frozen ? "row info tone" : "row"}>
      <Icon name={clock.frozen ? "snow" : "clock"} />
      <span class="visually-hidden">{clock.frozen ? "Clock, frozen" : "Clock"}</span>
      <Moment at={emulatorSecond.value} form="iso" />
    </span>
  );
}

const LinkState = () => (
  <span class={`row ${LINKS[link.value][1]}`} role="status">
    <span class="dot" />
    {LINKS[link.value][0]}
  </span>
);

connect();
const root = document.getElementById("app");
if (root !== null) render(<Shell />, root);

import { useComputed } from "@preact/signals";
import type { ComponentType } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "./parts/controls.tsx";
import { dialogs } from "./parts/dialogs.tsx";
import { Moment } from "./parts/facts.tsx";
import { Icon, Logo } from "./parts/icons.tsx";
import { Notices } from "./parts/notices.tsx";
import { ask, attempt } from "./state/api.ts";
import { emulatorSecond } from "./state/clock.ts";
import { link, requests, state } from "./state/connection.ts";
import { addressOf, route, VIEWS, type View } from "./state/route.ts";
import { report } from "./state/source.ts";
import { text } from "./text.ts";
import { Controls } from "./views/controls.tsx";
import { Models } from "./views/models.tsx";
import { Overview } from "./views/overview.tsx";
import { ReportSummary } from "./views/report-summary.tsx";
import { Requests } from "./views/requests.tsx";
import { Targets } from "./views/targets.tsx";
import { TryPicture } from "./views/try-picture.tsx";

const SHOWN: Readonly<Partial<Record<View, ComponentType>>> =
  report !== null
    ? { overview: ReportSummary, targets: Targets, requests: Requests }
    : {
        overview: Overview,
        targets: Targets,
        requests: Requests,
        try: TryPicture,
        models: Models,
        controls: Controls,
      };

/** The frame around all views: navigation, clock, connection state and notices. */
export function Shell() {
  const { view } = route.value;
  const Shown = SHOWN[view] ?? SHOWN.overview ?? Overview;
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  // Before the next event, so that it never takes the focus from what someone chose since.
  useLayoutEffect(() => {
    document.title = `${text.views[view]} · ${text.product}`;
    if (!first.current) main.current?.focus();
    first.current = false;
  }, [view]);
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        {text.skip}
      </button>
      <div class="shell">
        <header class="top">
          <a class="brand" href={addressOf("overview")}>
            <Logo />
            <span>{text.product}</span>
            {state.value !== null && <small>{state.value.release}</small>}
          </a>
          <Navigation />
          {state.value?.paused === true && (
            <Button
              kind="main"
              icon="play"
              label={text.resume}
              onClick={() => attempt(() => ask("POST", "/page/continue"), text.resumed)}
            />
          )}
          <div class="standing">
            <ClockFace />
            <LinkState />
          </div>
        </header>
        <main id="main" ref={main} tabIndex={-1} class={`view-${view}`}>
          {link.value === "lost" && (
            <p class="lost" role="alert">
              <Icon name="warning" />
              {text.link.lostLong}
            </p>
          )}
          {state.value === null && report === null ? <p class="loading">{text.loading}</p> : <Shown />}
        </main>
      </div>
      {dialogs.value.length === 0 && <Notices />}
    </>
  );
}

function Navigation() {
  const refused = useComputed(
    () => requests.value.filter((request) => request.refusedBy !== undefined).length,
  );
  return (
    <nav aria-label={text.navigation}>
      {VIEWS.filter((view) => view in SHOWN).map((view) => (
        <a key={view} href={addressOf(view)} aria-current={route.value.view === view ? "page" : undefined}>
          <Icon name={view} />
          <span class="full">{text.views[view]}</span>
          <span class="short" aria-hidden="true">
            {text.shortViews[view]}
          </span>
          {view === "requests" && requests.value.length > 0 && (
            <span class="tallies">
              {refused.value > 0 && (
                <span class="tally bad" title={text.list.refused(refused.value)}>
                  <span class="visually-hidden">{text.list.refused(refused.value)}</span>
                  <span aria-hidden="true">{text.number(refused.value)}</span>
                </span>
              )}
              <span class="tally">{text.number(requests.value.length)}</span>
            </span>
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
    <span class={clock.frozen ? "clock frozen" : "clock"}>
      <Icon name={clock.frozen ? "snow" : "clock"} />
      <span class="visually-hidden">{clock.frozen ? text.clock.frozen : text.clock.running}</span>
      <Moment at={emulatorSecond.value} form="iso" />
    </span>
  );
}

const LinkState = () => (
  <span class={`link ${link.value}`} role="status">
    <span class="dot" />
    {text.link[link.value]}
  </span>
);

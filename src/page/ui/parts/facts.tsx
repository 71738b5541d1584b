import type { ComponentChildren } from "preact";
import type { DatabaseState } from "../../../schema/cloud-database.ts";
import type { TargetStatus as Status } from "../../../schema/processing.ts";
import { Icon, type IconName } from "./icons.tsx";

type Tone = "good" | "bad" | "busy" | "off" | "info";

export const Badge = ({
  tone,
  icon,
  children,
}: {
  readonly tone: Tone;
  readonly icon?: IconName;
  readonly children: ComponentChildren;
}) => (
  <span class={`badge ${tone}`}>
    {icon !== undefined && <Icon name={icon} />}
    {children}
  </span>
);

/** What people call the states of a database. */
export const STATES: Readonly<Record<DatabaseState, string>> = {
  WORKING: "Working",
  PROJECT_INACTIVE: "Inactive",
  PROJECT_SUSPENDED: "Suspended",
  PROJECT_HAS_NO_API_ACCESS: "No API access",
};
export const STATUSES = { success: "Success", processing: "Processing", failed: "Failed" } as const;

export const StateBadge = ({ state }: { readonly state: DatabaseState }) => (
  <Badge tone={state === "WORKING" ? "good" : "bad"} icon={state === "WORKING" ? "done" : "warning"}>
    {STATES[state]}
  </Badge>
);

const STATUS_TONES = { success: "good", processing: "busy", failed: "bad" } as const;
const STATUS_ICONS = { success: "done", processing: "clock", failed: "failed" } as const;

/** @param left - the remaining processing time, as text. */
export const StatusBadge = ({ status, left }: { readonly status: Status; readonly left?: string }) => (
  <Badge tone={STATUS_TONES[status]} icon={STATUS_ICONS[status]}>
    {status === "processing" && left !== undefined ? `${left} left` : STATUSES[status]}
  </Badge>
);

export const Stars = ({ rating }: { readonly rating: number }) => (
  <span
    class="stars"
    role="img"
    aria-label={`Tracking rating ${rating} of 5`}
    title={`Tracking rating ${rating} of 5`}
  >
    {[1, 2, 3, 4, 5].map((star) => (
      <svg key={star} viewBox="0 0 20 20" class={star <= rating ? "full" : undefined} aria-hidden="true">
        <path d="M10 2.2l2.4 4.9 5.4.8-3.9 3.8.9 5.4-4.8-2.5-4.8 2.5.9-5.4L2.2 7.9l5.4-.8z" />
      </svg>
    ))}
  </span>
);

/** The tone of a response's status, by its class. */
export const toneOf = (status: number | undefined): Tone =>
  status === undefined ? "bad" : status < 300 ? "good" : status < 400 ? "info" : "bad";

export const StatusCode = ({ status }: { readonly status: number | undefined }) => (
  <span class={`code ${toneOf(status)}`}>{status ?? "—"}</span>
);

/** A list of terms and their values. */
export const Facts = ({ facts }: { readonly facts: readonly (readonly [string, ComponentChildren])[] }) => (
  <dl class="facts">
    {facts.map(([term, value]) => (
      <div key={term}>
        <dt>{term}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

const utc = { timeZone: "UTC", hour12: false } as const;
const dateTime = new Intl.DateTimeFormat("en-GB", { ...utc, dateStyle: "medium", timeStyle: "medium" });
const timeOnly = new Intl.DateTimeFormat("en-GB", {
  ...utc,
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
});

const isMoment = (milliseconds: number): boolean => Number.isFinite(new Date(milliseconds).getTime());

const FORMS = {
  long: (at: number) => `${dateTime.format(at)} UTC`,
  time: (at: number) => timeOnly.format(at),
  iso: (at: number) =>
    new Date(at)
      .toISOString()
      .replace("T", " ")
      .replace(/\.\d+Z/, "Z"),
};

/** A time in UTC, like the service's headers. */
export const Moment = ({
  at,
  form = "long",
}: {
  readonly at: number;
  readonly form?: keyof typeof FORMS;
}) => (
  <time dateTime={isMoment(at) ? new Date(at).toISOString() : undefined}>
    {isMoment(at) ? FORMS[form](at) : "—"}
  </time>
);

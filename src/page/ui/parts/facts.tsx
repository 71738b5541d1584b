import { useComputed, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { DatabaseState } from "../../../core/schema/cloud-database.ts";
import type { TargetStatus } from "../../../core/schema/processing.ts";
import type { ShownTarget } from "../../model.ts";
import { imageUrl } from "../state/api.ts";
import { emulatorNow, processingLeft, ratingOf, statusOf } from "../state/connection.ts";
import { duration } from "../state/format.ts";
import { set } from "./controls.tsx";
import { Icon, type IconName } from "./icons.tsx";

interface BadgeProps {
  readonly tone: "good" | "bad" | "busy" | "off" | "info";
  readonly icon?: IconName;
  readonly children: ComponentChildren;
}

export const Badge = ({ tone, icon, children }: BadgeProps) => (
  <span class={`badge row tight ${tone}`}>
    {icon !== undefined && <Icon name={icon} />}
    {children}
  </span>
);

export const STATES: readonly (readonly [DatabaseState, string])[] = [
  ["WORKING", "Working"],
  ["PROJECT_INACTIVE", "Inactive"],
  ["PROJECT_SUSPENDED", "Suspended"],
  ["PROJECT_HAS_NO_API_ACCESS", "No API access"],
];

export const StateBadge = ({ state }: { readonly state: DatabaseState }) => (
  <Badge tone={state === "WORKING" ? "good" : "bad"} icon={state === "WORKING" ? "done" : "warning"}>
    {STATES.find(([name]) => name === state)?.[1]}
  </Badge>
);

export const STATUSES = {
  success: { text: "Success", tone: "good", icon: "done" },
  processing: { text: "Processing", tone: "busy", icon: "clock" },
  failed: { text: "Failed", tone: "bad", icon: "failed" },
} as const;

/** @param left - the remaining processing time, as text. */
export const StatusBadge = ({ status, left }: { readonly status: TargetStatus; readonly left?: string }) => (
  <Badge {...STATUSES[status]}>
    {status === "processing" && left !== undefined ? `${left} left` : STATUSES[status].text}
  </Badge>
);

export const Stars = ({ rating }: { readonly rating: number }) => (
  <span
    class="one-line"
    role="img"
    aria-label={`Tracking rating ${rating} of 5`}
    title={`Tracking rating ${rating} of 5`}
  >
    {[1, 2, 3, 4, 5].map((star) => (
      <svg
        key={star}
        width="12"
        viewBox="0 0 20 20"
        fill={star <= rating ? "var(--star)" : "none"}
        stroke={star <= rating ? "var(--star)" : "var(--line-strong)"}
        stroke-width="1.4"
        aria-hidden="true"
      >
        <path d="M10 2.2l2.4 4.9 5.4.8-3.9 3.8.9 5.4-4.8-2.5-4.8 2.5.9-5.4L2.2 7.9l5.4-.8z" />
      </svg>
    ))}
  </span>
);

export function StatusCode({ status }: { readonly status: number | undefined }) {
  const tone = status === undefined || status >= 400 ? "bad" : status < 300 ? "good" : "info";
  return <b class={`code mono tone ${tone}`}>{status ?? "—"}</b>;
}

interface FactsProps {
  readonly facts: readonly (readonly [term: string, value: ComponentChildren])[];
  readonly class?: string;
}

/** Terms, possibly repeated, and their values. Leaves out terms without a value. */
export const Facts = ({ facts, class: style }: FactsProps) => (
  <dl class={style}>
    {facts
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([term, value], index) => (
        <div key={`${index} ${term}`}>
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

const FORMS = {
  long: (at: number) => `${dateTime.format(at)} UTC`,
  time: (at: number) => timeOnly.format(at),
  iso: (at: number) => new Date(at).toISOString().replace(/T(.*)\.\d+Z/, " $1Z"),
};

/** A time in UTC, like the service's headers. */
export const Moment = ({ at, form = "long" }: { readonly at: number; readonly form?: keyof typeof FORMS }) =>
  Number.isNaN(new Date(at).getTime()) ? (
    <time>—</time>
  ) : (
    <time dateTime={new Date(at).toISOString()}>{FORMS[form](at)}</time>
  );

/** Follows the clock itself, so that ticks do not redraw the gallery. */
export function StatusLine({ target }: { readonly target: ShownTarget }) {
  const status = useComputed(() => statusOf(target, emulatorNow.value));
  const rating = useComputed(() => ratingOf(target, emulatorNow.value));
  const left = useComputed(() =>
    duration(processingLeft(target, target.lastModifiedDate, emulatorNow.value) / 1000),
  );
  return (
    <span class="row tight">
      <StatusBadge status={status.value} left={left.value} />
      <span class="grow" />
      {rating.value >= 0 && <Stars rating={rating.value} />}
    </span>
  );
}

/** A small version of a picture. The text beside it describes it. */
export function Thumbnail({ sha256, alt = "" }: { readonly sha256: string; readonly alt?: string }) {
  const failed = useSignal<string | null>(null);
  const url = imageUrl(sha256, "thumbnails");
  if (url === undefined || failed.value === sha256) {
    return (
      <span class="empty stack faint">
        <Icon name="targets" />
      </span>
    );
  }
  return (
    <img
      src={url}
      alt={alt}
      loading="lazy"
      decoding="async"
      draggable={false}
      onError={() => set(failed, sha256)}
    />
  );
}

interface PanelProps {
  readonly icon: IconName;
  readonly title: string;
  readonly intro: string;
  readonly children: ComponentChildren;
}

export const Panel = ({ icon, title, intro, children }: PanelProps) => (
  <section class="card stack" aria-label={title}>
    <h2 class="row">
      <Icon name={icon} />
      {title}
    </h2>
    <p class="faint small">{intro}</p>
    {children}
  </section>
);

interface CardHeadProps {
  readonly title: string;
  readonly note: ComponentChildren;
  readonly children: ComponentChildren;
}

export const CardHead = ({ title, note, children }: CardHeadProps) => (
  <header class="row">
    <div class="grow">
      <h2 class="one-line" title={title}>
        {title}
      </h2>
      <p class="faint small">{note}</p>
    </div>
    {children}
  </header>
);

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
}

export const Empty = ({ icon, title, children }: EmptyProps) => (
  <div class="empty stack faint">
    <Icon name={icon} />
    <h2>{title}</h2>
    {children}
  </div>
);

interface BarProps {
  readonly role: "meter" | "progressbar";
  readonly label: string;
  /** From 0 to 1. */
  readonly part: number;
}

export const Bar = ({ role, label, part }: BarProps) => (
  // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles support them.
  <div
    class="bar info"
    role={role}
    aria-label={label}
    aria-valuemin={0}
    aria-valuemax={1}
    aria-valuenow={part}
  >
    {part > 0 && <span style={{ width: `${Math.min(1, part) * 100}%` }} />}
  </div>
);

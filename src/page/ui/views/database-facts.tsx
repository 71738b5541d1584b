import type { PageCloudDatabase } from "../../model.ts";
import { CopyButton, Secret } from "../parts/controls.tsx";
import { Badge, STATUSES } from "../parts/facts.tsx";

/** The keys of a database; secrets are hidden until someone shows them. */
export const Keys = ({
  database,
  keys,
}: {
  readonly database: string;
  readonly keys: readonly (readonly [string, string, boolean])[];
}) => (
  <dl class="keys">
    {keys.map(([name, value, secret]) => {
      const label = `${name} key of ${database}`;
      return (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {secret ? (
              <Secret value={value} label={label} />
            ) : (
              <span class="secret">
                <code title={value}>{value}</code>
                <CopyButton value={value} label={`Copy ${label}`} />
              </span>
            )}
          </dd>
        </div>
      );
    })}
  </dl>
);

/** The numbers of targets by status, as a bar and as text. */
export function StatusBar({ counts }: { readonly counts: PageCloudDatabase["counts"] }) {
  const { active, inactive, processing, failed } = counts;
  const parts = [
    { status: "success", number: active + inactive },
    { status: "processing", number: processing },
    { status: "failed", number: failed },
  ] as const;
  const all = parts.reduce((sum, { number }) => sum + number, 0);
  return (
    <div class="statuses">
      <div class="bar" aria-hidden="true">
        {parts
          .filter(({ number }) => number > 0)
          .map(({ status, number }) => (
            <span key={status} class={status} style={{ flexGrow: number }} />
          ))}
      </div>
      {all === 0 ? (
        <p class="faint">No targets</p>
      ) : (
        <ul>
          {parts.map(({ status, number }) => (
            <li key={status} class={number === 0 ? "faint" : undefined}>
              <span class={`swatch ${status}`} aria-hidden="true" />
              <b>{number.toLocaleString("en-GB")}</b> {STATUSES[status]}
            </li>
          ))}
          {inactive > 0 && (
            <li>
              <Badge tone="off">{inactive.toLocaleString("en-GB")} Inactive</Badge>
            </li>
          )}
        </ul>
      )}
    </div>
  );
}

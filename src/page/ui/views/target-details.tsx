import { useComputed, useSignal } from "@preact/signals";
import type { ShownTarget } from "../../model.ts";
import { Button, CopyButton, CountField, Field, FileButton } from "../parts/controls.tsx";
import { Confirm, Dialog } from "../parts/dialogs.tsx";
import { PICTURES } from "../parts/drop-zone.tsx";
import { Facts, Moment } from "../parts/facts.tsx";
import { StatusLine } from "../parts/status-line.tsx";
import { Thumbnail } from "../parts/thumbnail.tsx";
import { ask, attempt, pathOf } from "../state/api.ts";
import { emulatorNow, statusOf } from "../state/clock.ts";
import { bytes, duration } from "../state/format.ts";
import { imageUrl, report } from "../state/source.ts";
import { base64Of, decodedMetadata } from "../state/targets.ts";

const COUNTS = [
  ["currentMonthRecos", "This month"],
  ["previousMonthRecos", "Last month"],
  ["totalRecos", "In total"],
] as const;

interface DetailsProps {
  readonly database: string;
  readonly target: ShownTarget;
  readonly onClose: () => void;
}

/** Everything about a target, with forms to change it. */
export function TargetDetails({ database, target, onClose }: DetailsProps) {
  const deleting = useSignal(false);
  const { name, targetId } = target;
  const path = pathOf("cloud_databases", database, "targets", targetId);
  const change = (fields: object) => attempt(() => ask("PUT", path, fields), `Saved ${name}`);
  const original = imageUrl(target.image);
  return (
    <Dialog wide title={name} onClose={onClose}>
      <div class="target-details">
        <div class="target-side">
          <div class="target-large">
            <Thumbnail sha256={target.image} alt="Picture" />
          </div>
          <div class="row">
            {original !== undefined && (
              <a class="button plain" href={original} target="_blank" rel="noreferrer">
                <span>Open the original</span>
              </a>
            )}
            {report === null && (
              <FileButton
                label="Replace the picture"
                accept={PICTURES}
                onFiles={async ([file]) => file !== undefined && change({ image: await base64Of(file) })}
              />
            )}
          </div>
          <StatusLine target={target} />
          {report === null && <FinishButton database={database} target={target} />}
          <Facts
            facts={[
              [
                "Target id",
                <span class="secret">
                  <code>{targetId}</code>
                  <CopyButton value={targetId} label={`Copy Target id`} />
                </span>,
              ],
              ["Added", <Moment at={target.uploadDate} />],
              ["Changed", <Moment at={target.lastModifiedDate} />],
              ["Processing time", duration(target.processingTimeSeconds)],
            ]}
          />
        </div>
        {report === null && (
          <div class="target-forms">
            <TargetForm target={target} onChange={change} />
            <form
              class="counts"
              onSubmit={(event) => {
                event.preventDefault();
                const fields = new FormData(event.currentTarget);
                const counts = Object.fromEntries(
                  COUNTS.map(([field]) => [field, Number(fields.get(field))]),
                );
                void attempt(
                  () => ask("POST", `${path}/recognition_counts`, counts),
                  `Saved the counts of ${name}`,
                );
              }}
            >
              <h3>Recognition counts</h3>
              <div class="field-grid">
                {COUNTS.map(([field, label]) => (
                  <CountField key={field} label={label} name={field} required defaultValue={target[field]} />
                ))}
              </div>
              <Button submit label="Set counts" />
            </form>
          </div>
        )}
      </div>
      {report === null && (
        <footer>
          <Button
            kind="danger"
            icon="trash"
            label="Delete"
            onClick={() => {
              deleting.value = true;
            }}
          />
        </footer>
      )}
      {deleting.value && (
        <Confirm
          title={`Delete ${name}?`}
          action="Delete"
          onConfirm={async () => {
            if (await attempt(() => ask("DELETE", path), `Deleted ${name}`)) onClose();
          }}
          onClose={() => {
            deleting.value = false;
          }}
        >
          Queries will no longer find it, and its id becomes unknown.
        </Confirm>
      )}
    </Dialog>
  );
}

/** Shown while the target is processing. */
function FinishButton({ database, target }: Omit<DetailsProps, "onClose">) {
  const isProcessing = useComputed(() => statusOf(target, emulatorNow.value) === "processing");
  if (!isProcessing.value) return null;
  const path = `${pathOf("page", "finish", target.targetId)}?${new URLSearchParams({ database })}`;
  return (
    <Button
      icon="bolt"
      label="Finish its processing"
      onClick={() => attempt(() => ask("POST", path), `Finished the processing of ${target.name}`)}
    />
  );
}

interface FormProps {
  readonly target: ShownTarget;
  readonly onChange: (fields: object) => Promise<boolean>;
}

function TargetForm({ target, onChange }: FormProps) {
  const { applicationMetadata: metadata, metadataLength } = target;
  const decoded = metadata === null ? { text: "" } : decodedMetadata(metadata);
  const isWhole = metadata === null || metadata.length === metadataLength;
  const isText = "text" in decoded && isWhole;
  return (
    <form
      onSubmit={async (event) => {
        event.preventDefault();
        const fields = new FormData(event.currentTarget);
        const given = String(fields.get("metadata") ?? "");
        const changed = isText && given !== decoded.text;
        await onChange({
          name: String(fields.get("name")),
          width: Number(fields.get("width")),
          activeFlag: fields.get("active") !== null,
          ...(changed && { applicationMetadata: given === "" ? null : await base64Of(new Blob([given])) }),
        });
      }}
    >
      <Field label="Name" name="name" required maxLength={64} defaultValue={target.name} />
      <Field
        label="Width in scene units"
        name="width"
        type="number"
        min={0}
        step="any"
        required
        defaultValue={target.width}
      />
      <label class="check">
        <input type="checkbox" name="active" defaultChecked={target.activeFlag} />
        <span>Active (queries can find it)</span>
      </label>
      {isText ? (
        <label class="field">
          <span class="field-label">Metadata</span>
          <textarea name="metadata" rows={4} spellcheck={false} defaultValue={decoded.text} />
          <span class="hint">Sent as base64; at most 1,048,575 bytes</span>
        </label>
      ) : (
        <div class="field">
          <span class="field-label">Metadata</span>
          {"text" in decoded ? (
            <pre class="metadata">{decoded.text}…</pre>
          ) : (
            <p class="faint">{`${bytes(Math.floor((metadataLength * 3) / 4))}, not text`}</p>
          )}
        </div>
      )}
      <Button kind="main" submit label="Save" />
    </form>
  );
}

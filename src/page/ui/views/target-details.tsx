import { type Signal, useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { MAX_METADATA_BYTES } from "../../../core/schema/protocol.ts";
import type { PageFeatures, ShownTarget } from "../../model.ts";
import { decodedMetadata } from "../../select.ts";
import { Button, Checkbox, Field, Labelled, LinkButton, NumberField, Secret } from "../parts/controls.tsx";
import { ConfirmButton, Dialog } from "../parts/dialogs.tsx";
import { FileButton, PICTURES } from "../parts/drop-zone.tsx";
import { Facts, Moment, Stars, StatusLine, Thumbnail } from "../parts/facts.tsx";
import { FeaturesButton, Outlined } from "../parts/outlined.tsx";
import { ask, attempt, base64Of, featuresOf, imageUrl, pathOf, report, useLoaded } from "../state/api.ts";
import { emulatorNow, state, statusOf } from "../state/connection.ts";
import { byteCount, duration } from "../state/format.ts";

const COUNTS = [
  ["currentMonthRecos", "This month"],
  ["previousMonthRecos", "Last month"],
  ["totalRecos", "In total"],
] as const;

interface TargetProps {
  readonly database: string;
  readonly target: ShownTarget;
}

interface DetailsProps extends TargetProps {
  readonly onClose: () => void;
}

export function TargetDetails({ database, target, onClose }: DetailsProps) {
  const { name, targetId } = target;
  const path = pathOf("cloud_databases", database, "targets", targetId);
  const replace = async (picture: File) => ask("PUT", path, { image: await base64Of(picture) });
  const original = imageUrl(target.image);
  const features = useSignal<PageFeatures | null>(null);
  return (
    <Dialog wide={report === null} title={name} onClose={onClose}>
      <div class="grid">
        <div class="stack">
          <div class="picture">
            <Outlined targets={[]} features={features.value}>
              <Thumbnail sha256={target.image} alt="Picture" />
            </Outlined>
          </div>
          <div class="row">
            {original !== undefined && (
              <LinkButton label="Open the original" href={original} target="_blank" rel="noreferrer" />
            )}
            {report === null && (
              <FileButton
                label="Replace the picture"
                accept={PICTURES}
                onFiles={([file]) => file !== undefined && attempt(() => replace(file), `Saved ${name}`)}
              />
            )}
          </div>
          <StatusLine target={target} />
          {report === null && <Recognition key={target.image} image={target.image} features={features} />}
          {report === null && <FinishButton database={database} target={target} />}
          <Facts
            facts={[
              ["Target id", <Secret value={targetId} label="Target id" hidden={false} />],
              ["Added", <Moment at={target.uploadDate} />],
              ["Changed", <Moment at={target.lastModifiedDate} />],
              ["Processing time", duration(target.processingTimeSeconds)],
            ]}
          />
        </div>
        {report === null && <TargetForm path={path} target={target} />}
      </div>
      {report === null && (
        <footer class="row">
          <ConfirmButton
            kind="danger"
            icon="trash"
            label="Delete"
            title={`Delete ${name}?`}
            action="Delete"
            onConfirm={async () => {
              if (await attempt(() => ask("DELETE", path), `Deleted ${name}`)) onClose();
            }}
          >
            Queries will no longer find it, and its id becomes unknown.
          </ConfirmButton>
          <span class="grow" />
          <Button kind="main" submit form="target" label="Save" />
        </footer>
      )}
    </Dialog>
  );
}

/** How likely photographs are recognised, and advice. */
function Recognition({
  image,
  features,
}: {
  readonly image: string;
  readonly features: Signal<PageFeatures | null>;
}) {
  // Pictures that cannot be decoded have no features.
  const { value } = useLoaded(() => featuresOf(image, "target").catch(() => null));
  useEffect(
    () => () => {
      features.value = null;
    },
    [],
  );
  if (value?.recognition == null) return null;
  const { rating, advice } = value.recognition;
  return (
    <>
      {state.value?.matchesPhotographs === true && (
        <p class="small">
          <b>In photographs</b> <Stars rating={rating} /> <span class="faint">{advice}</span>
        </p>
      )}
      <FeaturesButton features={features} load={async () => value} />
    </>
  );
}

function FinishButton({ database, target }: TargetProps) {
  const isProcessing = useComputed(() => statusOf(target, emulatorNow.value) === "processing");
  if (!isProcessing.value) return null;
  const finish = () => ask("POST", pathOf("page", "finish", target.targetId, { database }));
  return (
    <Button
      icon="bolt"
      label="Finish its processing"
      onClick={() => attempt(finish, `Finished the processing of ${target.name}`)}
    />
  );
}

function TargetForm({ path, target }: { readonly path: string; readonly target: ShownTarget }) {
  const { applicationMetadata: metadata, metadataLength } = target;
  const decoded = metadata === null ? { text: "" } : decodedMetadata(metadata);
  const isText = "text" in decoded && (metadata?.length ?? 0) === metadataLength;
  const save = async (fields: FormData) => {
    const given = String(fields.get("metadata") ?? "");
    const changed = isText && given !== decoded.text;
    await ask("PUT", path, {
      name: String(fields.get("name")),
      width: Number(fields.get("width")),
      activeFlag: fields.get("active") !== null,
      ...(changed && { applicationMetadata: given === "" ? null : await base64Of(new Blob([given])) }),
    });
    const counts = COUNTS.map(([field]) => [field, Number(fields.get(field))] as const);
    if (counts.some(([field, value]) => value !== target[field]))
      await ask("POST", `${path}/recognition_counts`, Object.fromEntries(counts));
  };
  return (
    <form
      class="stack"
      id="target"
      onSubmit={(event) => {
        event.preventDefault();
        const fields = new FormData(event.currentTarget);
        void attempt(() => save(fields), `Saved ${String(fields.get("name"))}`);
      }}
    >
      <Field label="Name" name="name" required maxLength={64} defaultValue={target.name} />
      <NumberField
        label="Width in scene units"
        name="width"
        step="any"
        required
        defaultValue={target.width}
      />
      <Checkbox name="active" label="Active (queries can find it)" defaultChecked={target.activeFlag} />
      {isText ? (
        <Labelled
          label="Metadata"
          hint={`Sent as base64; at most ${MAX_METADATA_BYTES.toLocaleString("en")} bytes`}
        >
          <textarea name="metadata" rows={4} spellcheck={false} defaultValue={decoded.text} />
        </Labelled>
      ) : (
        <div class="field stack tight">
          <span class="small">Metadata</span>
          {"text" in decoded ? (
            <textarea readOnly aria-label="Metadata" rows={4} value={`${decoded.text}…`} />
          ) : (
            <p class="faint">{byteCount(Math.floor((metadataLength * 3) / 4))}, not text</p>
          )}
        </div>
      )}
      <fieldset>
        <legend class="small">Recognitions</legend>
        <div class="grid fields">
          {COUNTS.map(([field, label]) => (
            <NumberField key={field} label={label} name={field} required defaultValue={target[field]} />
          ))}
        </div>
      </fieldset>
    </form>
  );
}

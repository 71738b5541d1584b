import { useComputed, useSignal } from "@preact/signals";
import type { PageVuMarkDatabase } from "../../page-data.ts";
import { Button, Field } from "../parts/controls.tsx";
import { FormDialog } from "../parts/dialogs.tsx";
import { ask, attempt, pathOf } from "../state/api.ts";
import { emulatorNow, processingLeft } from "../state/clock.ts";
import { text } from "../text.ts";

const words = text.models;

/** A VuMark database with its targets. */
export function VuMarks({ database }: { readonly database: PageVuMarkDatabase }) {
  const adding = useSignal(false);
  const { database_name: name, vumark_targets: targets } = database;
  return (
    <article class="card" aria-label={name}>
      <h3>{name}</h3>
      {targets.length === 0 ? (
        <p class="faint">{words.noTemplates}</p>
      ) : (
        <ul class="templates">
          {targets.map((target) => (
            <li key={target.target_id}>
              <Template database={name} target={target} />
            </li>
          ))}
        </ul>
      )}
      <footer>
        <Button
          icon="plus"
          label={words.addTemplate}
          onClick={() => {
            adding.value = true;
          }}
        />
      </footer>
      {adding.value && (
        <FormDialog
          title={words.addTemplate}
          action={words.addTemplate}
          onClose={() => {
            adding.value = false;
          }}
          onSubmit={(fields) => {
            const given = String(fields.get("name"));
            const path = pathOf("vumark_databases", name, "vumark_targets");
            return attempt(() => ask("POST", path, { name: given }), words.added(given));
          }}
        >
          <Field label={words.templateName} name="name" required autofocus />
        </FormDialog>
      )}
    </article>
  );
}

interface TemplateProps {
  readonly database: string;
  readonly target: PageVuMarkDatabase["vumark_targets"][number];
}

/** A VuMark target, and an instance of it for an id that is typed. */
function Template({ database, target }: TemplateProps) {
  const id = useSignal("");
  /** The id whose instance could not be loaded. */
  const failed = useSignal("");
  const left = useComputed(() => processingLeft(target, target.modified_at, emulatorNow.value));
  const query = new URLSearchParams({ database, id: id.value });
  return (
    <>
      <b>{target.name}</b> <code class="faint">{target.target_id}</code>
      {left.value > 0 ? (
        <p class="faint">{words.templateBusy(text.duration(left.value / 1000))}</p>
      ) : (
        <label class="field">
          <span class="field-label">{words.instanceId}</span>
          <input
            type="text"
            autocomplete="off"
            spellcheck={false}
            value={id.value}
            onInput={({ currentTarget }) => {
              id.value = currentTarget.value;
            }}
          />
          <span class="hint">{words.instanceHint}</span>
        </label>
      )}
      {left.value === 0 &&
        id.value !== "" &&
        (failed.value === id.value ? (
          <p class="faint" role="status">
            {words.instanceNone}
          </p>
        ) : (
          <img
            class="instance"
            src={`${pathOf("page", "instances", target.target_id)}?${query}`}
            alt={words.instanceAlt(id.value)}
            onError={() => {
              failed.value = id.peek();
            }}
          />
        ))}
    </>
  );
}

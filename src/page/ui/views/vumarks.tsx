import { useComputed, useSignal } from "@preact/signals";
import type { PageVuMarkDatabase } from "../../model.ts";
import { Button, Field } from "../parts/controls.tsx";
import { FormDialog } from "../parts/dialogs.tsx";
import { ask, attempt, pathOf } from "../state/api.ts";
import { emulatorNow, processingLeft } from "../state/clock.ts";
import { duration } from "../state/format.ts";

/** A VuMark database with its targets. */
export function VuMarks({ database }: { readonly database: PageVuMarkDatabase }) {
  const adding = useSignal(false);
  const { databaseName: name, targets } = database;
  return (
    <article class="card" aria-label={name}>
      <h3>{name}</h3>
      {targets.length === 0 ? (
        <p class="faint">No VuMark targets.</p>
      ) : (
        <ul class="templates">
          {targets.map((target) => (
            <li key={target.targetId}>
              <Template database={name} target={target} />
            </li>
          ))}
        </ul>
      )}
      <footer>
        <Button
          icon="plus"
          label="Add a VuMark target"
          onClick={() => {
            adding.value = true;
          }}
        />
      </footer>
      {adding.value && (
        <FormDialog
          title="Add a VuMark target"
          action="Add a VuMark target"
          onClose={() => {
            adding.value = false;
          }}
          onSubmit={(fields) => {
            const given = String(fields.get("name"));
            const path = pathOf("vumark_databases", name, "vumark_targets");
            return attempt(() => ask("POST", path, { name: given }), `Added ${given}`);
          }}
        >
          <Field label="Name of the VuMark target" name="name" required autofocus />
        </FormDialog>
      )}
    </article>
  );
}

interface TemplateProps {
  readonly database: string;
  readonly target: PageVuMarkDatabase["targets"][number];
}

/** A VuMark target, and an instance of it for an id that is typed. */
function Template({ database, target }: TemplateProps) {
  const id = useSignal("");
  /** The id whose instance could not be loaded. */
  const failed = useSignal("");
  const left = useComputed(() => processingLeft(target, target.lastModifiedDate, emulatorNow.value));
  const query = new URLSearchParams({ database, id: id.value });
  return (
    <>
      <b>{target.name}</b> <code class="faint">{target.targetId}</code>
      {left.value > 0 ? (
        <p class="faint">{`Processing, ${duration(left.value / 1000)} left`}</p>
      ) : (
        <label class="field">
          <span class="field-label">Instance id</span>
          <input
            type="text"
            autocomplete="off"
            spellcheck={false}
            value={id.value}
            onInput={({ currentTarget }) => {
              id.value = currentTarget.value;
            }}
          />
          <span class="hint">Type an id to see what the VuMark API answers</span>
        </label>
      )}
      {left.value === 0 &&
        id.value !== "" &&
        (failed.value === id.value ? (
          <p class="faint" role="status">
            The manager cannot draw this id.
          </p>
        ) : (
          <img
            class="instance"
            src={`${pathOf("page", "instances", target.targetId)}?${query}`}
            alt={`Instance for ${id.value}`}
            onError={() => {
              failed.value = id.peek();
            }}
          />
        ))}
    </>
  );
}

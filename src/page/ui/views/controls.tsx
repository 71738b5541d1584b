import { Button, Labelled, LinkButton } from "../parts/controls.tsx";
import { ConfirmButton } from "../parts/dialogs.tsx";
import { FileButton } from "../parts/drop-zone.tsx";
import { Moment, Panel } from "../parts/facts.tsx";
import { ask, attempt } from "../state/api.ts";
import { emulatorSecond, state } from "../state/connection.ts";
import { FaultsPanel } from "./faults.tsx";

const STEPS = [
  ["+1 min", 60],
  ["+1 h", 3600],
  ["+1 day", 86_400],
  ["+30 days", 30 * 86_400],
] as const;

export const Controls = () => (
  <>
    <header class="view-head row">
      <h1>Controls</h1>
    </header>
    <div class="packed">
      <Clock />
      <FaultsPanel />
      <Panel
        icon="bolt"
        title="Processing"
        intro="Finishes processing of all targets, reports and datasets at once."
      >
        <div class="row">
          <FinishAll label="Finish all processing" />
        </div>
      </Panel>
      <Panel
        icon="download"
        title="Snapshot"
        intro="The whole state as JSON, with images and keys. Restoring a snapshot replaces everything except the journal."
      >
        <div class="row">
          <LinkButton
            icon="download"
            label="Download snapshot"
            href="/snapshot"
            download="mock-cloud-reco-snapshot.json"
          />
          <FileButton
            label="Restore a snapshot"
            accept="application/json,.json"
            onFiles={([file]) =>
              file !== undefined && attempt(() => ask("PUT", "/snapshot", file), "The snapshot is restored")
            }
          />
        </div>
      </Panel>
      <Panel
        icon="reset"
        title="Reset"
        intro="Deletes all databases, datasets, credentials and reports, clears the journal and returns to real time."
      >
        <div class="row">
          <ConfirmButton
            kind="danger"
            icon="reset"
            label="Reset everything"
            title="Reset everything?"
            action="Reset everything"
            onConfirm={() => attempt(() => ask("POST", "/reset"), "Everything is reset")}
          >
            This deletes all databases and targets permanently. Download a snapshot to keep them.
          </ConfirmButton>
        </div>
      </Panel>
    </div>
  </>
);

export const FinishAll = ({ label }: { readonly label: string }) => (
  <Button
    icon="bolt"
    label={label}
    onClick={() => attempt(() => ask("POST", "/finish_processing"), "Finished all processing")}
  />
);

export const BackToRealTime = () => (
  <Button icon="reset" label="Return to real time" onClick={() => attempt(() => ask("DELETE", "/clock"))} />
);

function Clock() {
  const frozen = state.value?.clock.frozen === true;
  return (
    <Panel
      icon={frozen ? "snow" : "clock"}
      title="Clock"
      intro="All servers share one clock. Statuses, ratings, reports and date checks follow it."
    >
      <b>
        <Moment at={emulatorSecond.value} />
      </b>
      <div class="row">
        <Button
          icon={frozen ? "play" : "snow"}
          label={frozen ? "Let it run" : "Freeze"}
          onClick={() => attempt(() => ask("PUT", "/clock", { frozen: !frozen }))}
        />
      </div>
      <div class="row">
        {STEPS.map(([label, seconds]) => (
          <Button
            key={label}
            label={label}
            onClick={() => attempt(() => ask("POST", "/clock/advance", { seconds }))}
          />
        ))}
      </div>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          const given = new FormData(event.currentTarget).get("moment");
          void attempt(() => ask("PUT", "/clock", { now: `${String(given)}Z` }));
        }}
      >
        <Labelled label="Set to (UTC)">
          <input type="datetime-local" name="moment" step={1} required />
        </Labelled>
        <Button submit label="Set" />
      </form>
    </Panel>
  );
}

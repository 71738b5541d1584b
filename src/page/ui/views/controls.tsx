import { useSignal } from "@preact/signals";
import { Button, Field, FileButton } from "../parts/controls.tsx";
import { Confirm } from "../parts/dialogs.tsx";
import { Moment } from "../parts/facts.tsx";
import { Icon } from "../parts/icons.tsx";
import { Panel } from "../parts/panel.tsx";
import { ask, attempt } from "../state/api.ts";
import { emulatorSecond } from "../state/clock.ts";
import { state } from "../state/connection.ts";
import { text } from "../text.ts";
import { Faults } from "./faults.tsx";

const words = text.controls;
const STEPS = [
  ["+1 min", 60],
  ["+1 h", 3600],
  ["+1 day", 86_400],
  ["+30 days", 30 * 86_400],
] as const;

/** Controls of the whole emulator. */
export function Controls() {
  const resetting = useSignal(false);
  return (
    <>
      <header class="view-head">
        <h1>{text.views.controls}</h1>
      </header>
      <div class="cards">
        <Clock />
        <Faults />
        <Panel icon="bolt" title={words.processing} intro={words.processingIntro}>
          <Button
            icon="bolt"
            label={words.finish}
            onClick={() => attempt(() => ask("POST", "/finish_processing"), text.gallery.finished)}
          />
        </Panel>
        <Panel icon="download" title={words.snapshot} intro={words.snapshotIntro}>
          <a class="button plain" href="/snapshot" download="mock-cloud-reco-snapshot.json">
            <Icon name="download" />
            <span>{words.download}</span>
          </a>
          <FileButton
            label={words.upload}
            accept="application/json,.json"
            onFiles={([file]) =>
              file !== undefined && attempt(() => ask("PUT", "/snapshot", file), words.restored)
            }
          />
        </Panel>
        <Panel icon="reset" title={words.resetAll} intro={words.resetIntro}>
          <Button
            kind="danger"
            icon="reset"
            label={words.resetButton}
            onClick={() => {
              resetting.value = true;
            }}
          />
        </Panel>
      </div>
      {resetting.value && (
        <Confirm
          title={words.resetTitle}
          action={words.resetButton}
          onConfirm={() => attempt(() => ask("POST", "/reset"), words.resetDone)}
          onClose={() => {
            resetting.value = false;
          }}
        >
          {words.resetText}
        </Confirm>
      )}
    </>
  );
}

function Clock() {
  const frozen = state.value?.clock.frozen === true;
  const advance = (seconds: number) => attempt(() => ask("POST", "/clock/advance", { seconds }));
  return (
    <Panel icon={frozen ? "snow" : "clock"} title={words.clock} intro={words.clockIntro}>
      <p class="clock-large">
        <Moment at={emulatorSecond.value} />
      </p>
      <div class="row">
        <Button
          icon={frozen ? "play" : "snow"}
          label={frozen ? words.unfreeze : words.freeze}
          onClick={() => attempt(() => ask("PUT", "/clock", { frozen: !frozen }))}
        />
        <Button icon="reset" label={words.reset} onClick={() => attempt(() => ask("DELETE", "/clock"))} />
      </div>
      <div class="row">
        {STEPS.map(([label, seconds]) => (
          <Button key={label} label={label} onClick={() => advance(seconds)} />
        ))}
      </div>
      <form
        class="inline-form"
        onSubmit={(event) => {
          event.preventDefault();
          const given = new FormData(event.currentTarget).get("moment");
          void attempt(() => ask("PUT", "/clock", { now: `${String(given)}Z` }));
        }}
      >
        <Field label={words.setTo} name="moment" type="datetime-local" step={1} required />
        <Button submit label={words.set} />
      </form>
    </Panel>
  );
}

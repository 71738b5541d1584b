import { useSignal } from "@preact/signals";
import { OPERATIONS } from "../../../schema/operation-names.ts";
import { RESULT_CODES } from "../../../schema/result-codes.ts";
import type { PageFault } from "../../page-data.ts";
import { Button, CountField, Field, Select } from "../parts/controls.tsx";
import { FormDialog } from "../parts/dialogs.tsx";
import { Badge } from "../parts/facts.tsx";
import { Panel } from "../parts/panel.tsx";
import { ask, attempt, pathOf } from "../state/api.ts";
import { state } from "../state/connection.ts";
import { text } from "../text.ts";

const words = text.faults;

/** The faults, and how often each was applied. */
export function Faults() {
  const adding = useSignal(false);
  const faults = state.value?.faults ?? [];
  return (
    <Panel icon="warning" title={words.title} intro={words.intro}>
      {faults.length === 0 ? (
        <p class="faint">{words.none}</p>
      ) : (
        <ul class="faults" aria-label={words.title}>
          {faults.map((fault) => (
            <Fault key={fault.id} fault={fault} />
          ))}
        </ul>
      )}
      <Button
        icon="plus"
        label={words.add}
        onClick={() => {
          adding.value = true;
        }}
      />
      {adding.value && (
        <AddFault
          onClose={() => {
            adding.value = false;
          }}
        />
      )}
    </Panel>
  );
}

function Fault({ fault }: { readonly fault: PageFault }) {
  const { id, times, times_applied: applied } = fault;
  const isSpent = times !== null && applied >= times;
  return (
    <li>
      <div>
        <b>{effectOf(fault)}</b>
        <p class="faint">{matchesOf(fault)}</p>
        <Badge tone={isSpent ? "off" : applied > 0 ? "busy" : "info"}>{words.applied(applied, times)}</Badge>
      </div>
      <Button
        kind="quiet"
        bare
        icon="trash"
        label={words.remove(effectOf(fault))}
        onClick={() => attempt(() => ask("DELETE", pathOf("faults", id)), words.removed)}
      />
    </li>
  );
}

/** What a fault does. */
function effectOf({ answer, reset_connection, delay_seconds, executed }: PageFault): string {
  const parts = [
    ...(answer === null ? [] : [words.answers(answer.status, answer.result_code)]),
    ...(reset_connection ? [words.resets] : []),
    ...(delay_seconds > 0 ? [words.delays(delay_seconds)] : []),
    ...(executed ? [words.isExecuted] : []),
  ];
  return parts.join(", ");
}

/** Which requests a fault matches. */
function matchesOf({ api, operation, database_name, has_when, probability }: PageFault): string {
  const parts = [
    operation?.join(", ") ?? (api === null ? words.every : words.everyOf(api)),
    ...(database_name === null ? [] : [words.of(database_name)]),
    ...(has_when ? [words.when] : []),
    ...(probability < 1 ? [words.chance(probability)] : []),
  ];
  return parts.join(", ");
}

const EFFECTS = (["code", "status", "reset", "delay"] as const).map((value) => ({
  value,
  label: words.effects[value],
}));
const CODES = Object.entries(RESULT_CODES)
  .filter(([, { status }]) => status >= 400)
  .map(([value, { status }]) => ({ value, label: `${status} ${value}` }));
const EVERY = { value: "", label: words.every };

function AddFault({ onClose }: { readonly onClose: () => void }) {
  const operation = useSignal<string>("");
  const database = useSignal<string>("");
  const effect = useSignal<(typeof EFFECTS)[number]["value"]>("code");
  const code = useSignal<string>("Fail");
  const { cloud_databases = [], vumark_databases = [] } = state.value ?? {};
  const names = [...cloud_databases, ...vumark_databases].map(({ database_name }) => database_name);
  const replaces = effect.value !== "delay";
  /** An empty field is left to its default. */
  const numbers = (fields: FormData, ...wanted: readonly string[]) =>
    Object.fromEntries(
      wanted.flatMap((name) => {
        const given = fields.get(name);
        return given === null || given === "" ? [] : [[name, Number(given)]];
      }),
    );
  return (
    <FormDialog
      title={words.add}
      action={words.add}
      onClose={onClose}
      onSubmit={(fields) =>
        attempt(
          () =>
            ask("POST", "/faults", {
              ...(operation.value !== "" && { operation: operation.value }),
              ...(database.value !== "" && { database_name: database.value }),
              ...(effect.value === "code" && { answer: { result_code: code.value } }),
              ...(effect.value === "status" && {
                answer: { status: Number(fields.get("status")), body: String(fields.get("body")) },
              }),
              ...(effect.value === "reset" && { reset_connection: true }),
              ...(fields.get("executed") !== null && { executed: true }),
              ...numbers(fields, "delay_seconds", "times", "probability"),
            }),
          words.added,
        )
      }
    >
      <Select
        label={words.operation}
        value={operation.value}
        options={[EVERY, ...OPERATIONS.map((value) => ({ value, label: value }))]}
        onChange={(value) => {
          operation.value = value;
        }}
      />
      <Select
        label={words.database}
        value={database.value}
        options={[
          { value: "", label: words.anyDatabase },
          ...names.map((value) => ({ value, label: value })),
        ]}
        onChange={(value) => {
          database.value = value;
        }}
      />
      <Select
        label={words.effect}
        value={effect.value}
        options={EFFECTS}
        onChange={(value) => {
          effect.value = value;
        }}
      />
      {effect.value === "code" && (
        <Select
          label={words.code}
          value={code.value}
          options={CODES}
          onChange={(value) => {
            code.value = value;
          }}
        />
      )}
      {effect.value === "status" && (
        <>
          <CountField label={words.status} name="status" required defaultValue={503} />
          <Field label={words.body} name="body" />
        </>
      )}
      {replaces && (
        <label class="check">
          <input type="checkbox" name="executed" />
          <span>{words.executed}</span>
        </label>
      )}
      <div class="field-grid">
        <Field
          label={words.delay}
          name="delay_seconds"
          type="number"
          min={0}
          step="any"
          required={!replaces}
        />
        <Field label={words.times} hint={words.timesHint} name="times" type="number" min={1} step={1} />
        <Field
          label={words.probability}
          hint={words.probabilityHint}
          name="probability"
          type="number"
          min={0}
          step="any"
        />
      </div>
    </FormDialog>
  );
}

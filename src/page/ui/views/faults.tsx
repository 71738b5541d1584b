import { useSignal } from "@preact/signals";
import { OPERATIONS } from "../../../schema/operation-names.ts";
import { RESULT_CODES } from "../../../schema/result-codes.ts";
import type { PageFault } from "../../model.ts";
import { Button, CountField, Field, Select } from "../parts/controls.tsx";
import { FormDialog } from "../parts/dialogs.tsx";
import { Badge } from "../parts/facts.tsx";
import { Panel } from "../parts/panel.tsx";
import { ask, attempt, pathOf } from "../state/api.ts";
import { state } from "../state/connection.ts";
import { count } from "../state/format.ts";

/** The faults, and how often each was applied. */
export function Faults() {
  const adding = useSignal(false);
  const faults = state.value?.faults ?? [];
  return (
    <Panel
      icon="warning"
      title="Faults"
      intro="Make requests fail or wait, to see how a client copes. The newest fault that matches a request applies."
    >
      {faults.length === 0 ? (
        <p class="faint">No faults.</p>
      ) : (
        <ul class="faults" aria-label="Faults">
          {faults.map((fault) => (
            <Fault key={fault.id} fault={fault} />
          ))}
        </ul>
      )}
      <Button
        icon="plus"
        label="Add a fault"
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
  const { id, times, timesApplied: applied } = fault;
  const isSpent = times !== null && applied >= times;
  return (
    <li>
      <div>
        <b>{effectOf(fault)}</b>
        <p class="faint">{matchesOf(fault)}</p>
        <Badge
          tone={isSpent ? "off" : applied > 0 ? "busy" : "info"}
        >{`Used ${times === null ? count(applied, "time") : `${applied} of ${count(times, "time")}`}`}</Badge>
      </div>
      <Button
        kind="quiet"
        bare
        icon="trash"
        label={`Remove the fault: ${effectOf(fault)}`}
        onClick={() => attempt(() => ask("DELETE", pathOf("faults", id)), "Removed the fault")}
      />
    </li>
  );
}

/** What a fault does. */
function effectOf({ answer, resetConnection, delaySeconds, executed }: PageFault): string {
  const parts = [
    ...(answer === null
      ? []
      : [`Answers ${answer.status}${answer.resultCode === undefined ? "" : ` ${answer.resultCode}`}`]),
    ...(resetConnection ? ["Resets the connection"] : []),
    ...(delaySeconds > 0 ? [`Delays by ${delaySeconds} s`] : []),
    ...(executed ? ["after executing the request"] : []),
  ];
  return parts.join(", ");
}

/** Which requests a fault matches. */
function matchesOf({ api, operation, database, hasWhen, probability }: PageFault): string {
  const parts = [
    operation?.join(", ") ?? (api === null ? "Every request" : `Every request of the API ${api}`),
    ...(database === null ? [] : [`of ${database}`]),
    ...(hasWhen ? ["where the test's function agrees"] : []),
    ...(probability < 1 ? [`${Math.round(probability * 1000) / 10} % of them`] : []),
  ];
  return parts.join(", ");
}

const EFFECTS = [
  { value: "code", label: "Answer with a result code" },
  { value: "status", label: "Answer with a status" },
  { value: "reset", label: "Reset the connection" },
  { value: "delay", label: "Only delay the answer" },
] as const;
const CODES = Object.entries(RESULT_CODES)
  .filter(([, { status }]) => status >= 400)
  .map(([value, { status }]) => ({ value, label: `${status} ${value}` }));
const EVERY = { value: "", label: "Every request" };

function AddFault({ onClose }: { readonly onClose: () => void }) {
  const operation = useSignal<string>("");
  const database = useSignal<string>("");
  const effect = useSignal<(typeof EFFECTS)[number]["value"]>("code");
  const code = useSignal<string>("Fail");
  const { cloudDatabases = [], vuMarkDatabases = [] } = state.value ?? {};
  const names = [...cloudDatabases, ...vuMarkDatabases].map(({ databaseName }) => databaseName);
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
      title="Add a fault"
      action="Add a fault"
      onClose={onClose}
      onSubmit={(fields) =>
        attempt(
          () =>
            ask("POST", "/faults", {
              ...(operation.value !== "" && { operation: operation.value }),
              ...(database.value !== "" && { databaseName: database.value }),
              ...(effect.value === "code" && { answer: { resultCode: code.value } }),
              ...(effect.value === "status" && {
                answer: { status: Number(fields.get("status")), body: String(fields.get("body")) },
              }),
              ...(effect.value === "reset" && { resetConnection: true }),
              ...(fields.get("executed") !== null && { executed: true }),
              ...numbers(fields, "delaySeconds", "times", "probability"),
            }),
          "Added the fault",
        )
      }
    >
      <Select
        label="Requests"
        value={operation.value}
        options={[EVERY, ...OPERATIONS.map((value) => ({ value, label: value }))]}
        onChange={(value) => {
          operation.value = value;
        }}
      />
      <Select
        label="Database"
        value={database.value}
        options={[{ value: "", label: "Any" }, ...names.map((value) => ({ value, label: value }))]}
        onChange={(value) => {
          database.value = value;
        }}
      />
      <Select
        label="What happens"
        value={effect.value}
        options={EFFECTS}
        onChange={(value) => {
          effect.value = value;
        }}
      />
      {effect.value === "code" && (
        <Select
          label="Result code"
          value={code.value}
          options={CODES}
          onChange={(value) => {
            code.value = value;
          }}
        />
      )}
      {effect.value === "status" && (
        <>
          <CountField label="Status" name="status" required defaultValue={503} />
          <Field label="Body" name="body" />
        </>
      )}
      {replaces && (
        <label class="check">
          <input type="checkbox" name="executed" />
          <span>Execute the request all the same, and lose only its answer</span>
        </label>
      )}
      <div class="field-grid">
        <Field
          label="Delay in seconds"
          name="delaySeconds"
          type="number"
          min={0}
          step="any"
          required={!replaces}
        />
        <Field label="How often" hint="Empty: no limit" name="times" type="number" min={1} step={1} />
        <Field
          label="Probability"
          hint="0 to 1; empty: 1"
          name="probability"
          type="number"
          min={0}
          step="any"
        />
      </div>
    </FormDialog>
  );
}

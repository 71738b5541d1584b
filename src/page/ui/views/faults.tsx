import { useSignal } from "@preact/signals";
import { OPERATIONS, RESULT_CODES } from "../../../core/schema/protocol.ts";
import type { PageFault, PageFaults } from "../../model.ts";
import { Button, Checkbox, Field, NumberField, OpenButton, Select, set } from "../parts/controls.tsx";
import { FormDialog } from "../parts/dialogs.tsx";
import { Badge, Panel } from "../parts/facts.tsx";
import { ask, attempt, pathOf } from "../state/api.ts";
import { useRead } from "../state/connection.ts";
import { commaSeparated, count } from "../state/format.ts";

export function FaultsPanel() {
  const { faults = [], databases = [] } = useRead<PageFaults>("faults").value ?? {};
  return (
    <Panel
      icon="warning"
      title="Faults"
      intro="Make requests fail or wait, to see how a client copes. The newest fault that matches a request applies."
    >
      {faults.length === 0 ? (
        <p class="faint">No faults.</p>
      ) : (
        <ul aria-label="Faults">
          {faults.map((fault) => (
            <Fault key={fault.id} fault={fault} />
          ))}
        </ul>
      )}
      <div class="row">
        <OpenButton icon="plus" label="Add a fault">
          {(close) => <AddFault databases={databases} onClose={close} />}
        </OpenButton>
      </div>
    </Panel>
  );
}

function Fault({ fault }: { readonly fault: PageFault }) {
  const { id, times, timesApplied: applied } = fault;
  return (
    <li class="row">
      <div class="grow small">
        <b>{effectOf(fault)}</b>
        <p class="faint">{matchesOf(fault)}</p>
        <Badge tone={applied > 0 ? "busy" : "info"}>
          Used {times === null ? count(applied, "time") : `${applied} of ${count(times, "time")}`}
        </Badge>
      </div>
      <Button
        kind="bare"
        icon="trash"
        label={`Remove the fault: ${effectOf(fault)}`}
        onClick={() => attempt(() => ask("DELETE", pathOf("faults", id)), "Removed the fault")}
      />
    </li>
  );
}

function effectOf({ response, resetConnection, delaySeconds, executed }: PageFault): string {
  return commaSeparated(
    response && `Answers ${response.status} ${response.resultCode ?? ""}`.trim(),
    resetConnection && "Resets the connection",
    delaySeconds > 0 && `Delays by ${delaySeconds} s`,
    executed && "after executing the request",
  );
}

function matchesOf({ api, operation, database, hasWhen, probability }: PageFault): string {
  return commaSeparated(
    operation?.join(", ") ?? (api === null ? "Every request" : `Every request to the ${APIS[api]}`),
    database !== null && `of ${database}`,
    hasWhen && "if its `when` returns true",
    probability < 1 && `${Math.round(probability * 1000) / 10} % of them`,
  );
}

const APIS = {
  target: "target API",
  query: "query API",
  modelTarget: "Model Target API",
  manager: "target manager",
} as const;
const MATCHES = [
  ["", "Every request of clients"],
  ...Object.entries(APIS).map(
    ([api, name]) =>
      [`api:${api}`, `Every request to the ${name}${api === "manager" ? ", but the page's" : ""}`] as const,
  ),
  ...OPERATIONS,
] as const;
const EFFECTS = [
  ["code", "Answer with a result code"],
  ["status", "Answer with a status"],
  ["reset", "Reset the connection"],
  ["delay", "Only delay the answer"],
] as const;
const CODES = Object.entries(RESULT_CODES)
  .filter(([, { status }]) => status >= 400)
  .map(([code, { status }]) => [code, `${status} ${code}`] as const);

function AddFault({
  databases,
  onClose,
}: {
  readonly databases: readonly string[];
  readonly onClose: () => void;
}) {
  const effect = useSignal<(typeof EFFECTS)[number][0]>("code");
  const replaces = effect.value !== "delay";
  const add = (fields: FormData) => {
    const given = <T extends string | number>(name: string, read: (text: string) => T) => {
      const text = fields.get(name);
      return typeof text === "string" && text !== "" ? { [name]: read(text) } : {};
    };
    const matched = String(fields.get("operation"));
    return ask("POST", "/faults", {
      ...(matched.startsWith("api:") ? { api: matched.slice(4) } : given("operation", String)),
      ...given("databaseName", String),
      ...(effect.value === "code" && { response: { resultCode: fields.get("resultCode") } }),
      ...(effect.value === "status" && {
        response: { status: Number(fields.get("status")), body: fields.get("body") },
      }),
      ...(effect.value === "reset" && { resetConnection: true }),
      ...(fields.get("executed") !== null && { executed: true }),
      ...given("delaySeconds", Number),
      ...given("times", Number),
      ...given("probability", Number),
    });
  };
  return (
    <FormDialog
      title="Add a fault"
      action="Add a fault"
      onClose={onClose}
      onSubmit={(fields) => attempt(() => add(fields), "Added the fault")}
    >
      <Select label="Requests" name="operation" options={MATCHES} />
      <Select label="Database" name="databaseName" options={[["", "Any"], ...databases]} />
      <Select
        label="What happens"
        value={effect.value}
        options={EFFECTS}
        onChange={(value) => set(effect, value)}
      />
      {effect.value === "code" && (
        <Select label="Result code" name="resultCode" value="Fail" options={CODES} />
      )}
      {effect.value === "status" && (
        <>
          <NumberField label="Status" name="status" required defaultValue={503} />
          <Field label="Body" name="body" />
        </>
      )}
      {replaces && (
        <Checkbox name="executed" label="Execute the request all the same, and lose only its answer" />
      )}
      <div class="grid fields">
        <NumberField
          label="Delay in seconds"
          hint={replaces ? "Empty: none" : "Above 0"}
          name="delaySeconds"
          step="any"
          required={!replaces}
        />
        <NumberField label="How often" hint="Empty: no limit" name="times" min={1} />
        <NumberField label="Probability" hint="0 to 1; empty: 1" name="probability" step="any" />
      </div>
    </FormDialog>
  );
}

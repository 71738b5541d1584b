import { useSignal } from "@preact/signals";
import type { DatabaseState } from "../../../schema/cloud-database.ts";
import type { PageCloudDatabase, PageVuMarkDatabase } from "../../model.ts";
import { CountField, Field, Select } from "../parts/controls.tsx";
import { FormDialog } from "../parts/dialogs.tsx";
import { STATES } from "../parts/facts.tsx";
import { ask, askJson, attempt, pathOf } from "../state/api.ts";

const STATE_NAMES: readonly DatabaseState[] = [
  "WORKING",
  "PROJECT_INACTIVE",
  "PROJECT_SUSPENDED",
  "PROJECT_HAS_NO_API_ACCESS",
];
const KINDS = [
  { value: "cloud_databases", label: "Cloud recognition" },
  { value: "vumark_databases", label: "VuMark" },
] as const;

export function AddDatabase({ onClose }: { readonly onClose: () => void }) {
  const kind = useSignal<(typeof KINDS)[number]["value"]>("cloud_databases");
  return (
    <FormDialog
      title="Add database"
      action="Add database"
      onClose={onClose}
      onSubmit={(fields) =>
        attempt(
          async () => {
            const name = fields.get("name");
            await askJson(
              "POST",
              pathOf(kind.value),
              typeof name === "string" && name !== "" ? { databaseName: name } : {},
            );
          },
          `Added ${String(fields.get("name") || "Add database")}`,
        )
      }
    >
      <Select
        label="Kind"
        value={kind.value}
        options={KINDS}
        onChange={(value) => {
          kind.value = value;
        }}
      />
      <Field
        label="Name"
        hint="Leave empty to generate a name. Keys are always generated."
        name="name"
        autofocus
      />
    </FormDialog>
  );
}

interface StateSelectProps {
  readonly state: { value: DatabaseState };
}

const StateSelect = ({ state }: StateSelectProps) => (
  <Select
    label="State"
    hint="Every state except Working refuses requests with 403"
    value={state.value}
    options={STATE_NAMES.map((value) => ({ value, label: STATES[value] }))}
    onChange={(value) => {
      state.value = value;
    }}
  />
);

const COUNTS = [
  ["targetQuota", "Target quota"],
  ["requestQuota", "Request quota"],
  ["recoThreshold", "Recognition threshold"],
  ["currentMonthRecos", "Recognitions this month"],
  ["previousMonthRecos", "Recognitions last month"],
  ["totalRecos", "Recognitions in total"],
] as const;

interface CloudProps {
  readonly database: PageCloudDatabase;
  readonly onClose: () => void;
}

export function CloudDatabaseSettings({ database, onClose }: CloudProps) {
  const { databaseName: name, requestsPerSecondLimit } = database;
  const state = useSignal(database.stateName);
  return (
    <FormDialog
      title={`Settings of ${name}`}
      action="Save"
      onClose={onClose}
      onSubmit={(fields) =>
        attempt(() => {
          const perSecond = fields.get("requestsPerSecondLimit");
          return ask("PUT", pathOf("cloud_databases", name), {
            stateName: state.value,
            ...Object.fromEntries(COUNTS.map(([field]) => [field, Number(fields.get(field))])),
            requestsPerSecondLimit: perSecond === "" ? null : Number(perSecond),
          });
        }, `Saved ${name}`)
      }
    >
      <StateSelect state={state} />
      <div class="field-grid">
        {COUNTS.map(([field, label]) => (
          <CountField key={field} label={label} name={field} required defaultValue={database[field]} />
        ))}
        <CountField
          label="Requests per second"
          hint="Empty: no limit"
          name="requestsPerSecondLimit"
          defaultValue={requestsPerSecondLimit ?? ""}
        />
      </div>
    </FormDialog>
  );
}

interface VuMarkProps {
  readonly database: PageVuMarkDatabase;
  readonly onClose: () => void;
}

export function VuMarkDatabaseSettings({ database, onClose }: VuMarkProps) {
  const { databaseName: name } = database;
  const state = useSignal(database.stateName);
  return (
    <FormDialog
      title={`Settings of ${name}`}
      action="Save"
      onClose={onClose}
      onSubmit={() =>
        attempt(
          () => ask("PUT", pathOf("vumark_databases", name), { stateName: state.value }),
          `Saved ${name}`,
        )
      }
    >
      <StateSelect state={state} />
    </FormDialog>
  );
}

import { useSignal } from "@preact/signals";
import type { PageCloudDatabase, PageDatabaseState, PageVuMarkDatabase } from "../../page-data.ts";
import { CountField, Field, Select } from "../parts/controls.tsx";
import { FormDialog } from "../parts/dialogs.tsx";
import { STATES } from "../parts/facts.tsx";
import { ask, askJson, attempt, pathOf } from "../state/api.ts";

const STATE_NAMES: readonly PageDatabaseState[] = [
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
              typeof name === "string" && name !== "" ? { database_name: name } : {},
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
  readonly state: { value: PageDatabaseState };
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
  ["target_quota", "Target quota"],
  ["request_quota", "Request quota"],
  ["reco_threshold", "Recognition threshold"],
  ["current_month_recos", "Recognitions this month"],
  ["previous_month_recos", "Recognitions last month"],
  ["total_recos", "Recognitions in total"],
] as const;

interface CloudProps {
  readonly database: PageCloudDatabase;
  readonly onClose: () => void;
}

export function CloudDatabaseSettings({ database, onClose }: CloudProps) {
  const { database_name: name, requests_per_second_limit } = database;
  const state = useSignal(database.state_name);
  return (
    <FormDialog
      title={`Settings of ${name}`}
      action="Save"
      onClose={onClose}
      onSubmit={(fields) =>
        attempt(() => {
          const perSecond = fields.get("requests_per_second_limit");
          return ask("PUT", pathOf("cloud_databases", name), {
            state_name: state.value,
            ...Object.fromEntries(COUNTS.map(([field]) => [field, Number(fields.get(field))])),
            requests_per_second_limit: perSecond === "" ? null : Number(perSecond),
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
          name="requests_per_second_limit"
          defaultValue={requests_per_second_limit ?? ""}
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
  const { database_name: name } = database;
  const state = useSignal(database.state_name);
  return (
    <FormDialog
      title={`Settings of ${name}`}
      action="Save"
      onClose={onClose}
      onSubmit={() =>
        attempt(
          () => ask("PUT", pathOf("vumark_databases", name), { state_name: state.value }),
          `Saved ${name}`,
        )
      }
    >
      <StateSelect state={state} />
    </FormDialog>
  );
}

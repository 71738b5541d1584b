import { useSignal } from "@preact/signals";
import type { PageCloudDatabase, PageDatabaseState, PageVuMarkDatabase } from "../../page-data.ts";
import { CountField, Field, Select } from "../parts/controls.tsx";
import { FormDialog } from "../parts/dialogs.tsx";
import { ask, askJson, attempt, pathOf } from "../state/api.ts";
import { text } from "../text.ts";

const words = text.databaseFields;
const STATES: readonly PageDatabaseState[] = [
  "WORKING",
  "PROJECT_INACTIVE",
  "PROJECT_SUSPENDED",
  "PROJECT_HAS_NO_API_ACCESS",
];
const KINDS = [
  { value: "cloud_databases", label: text.overview.cloud },
  { value: "vumark_databases", label: text.overview.vumark },
] as const;

export function AddDatabase({ onClose }: { readonly onClose: () => void }) {
  const kind = useSignal<(typeof KINDS)[number]["value"]>("cloud_databases");
  return (
    <FormDialog
      title={text.overview.addDatabase}
      action={text.overview.addDatabase}
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
          text.overview.added(String(fields.get("name") || text.overview.addDatabase)),
        )
      }
    >
      <Select
        label={words.kind}
        value={kind.value}
        options={KINDS}
        onChange={(value) => {
          kind.value = value;
        }}
      />
      <Field label={words.name} hint={words.nameHint} name="name" autofocus />
    </FormDialog>
  );
}

interface StateSelectProps {
  readonly state: { value: PageDatabaseState };
}

const StateSelect = ({ state }: StateSelectProps) => (
  <Select
    label={words.state}
    hint={words.stateHint}
    value={state.value}
    options={STATES.map((value) => ({ value, label: text.states[value] }))}
    onChange={(value) => {
      state.value = value;
    }}
  />
);

const COUNTS = [
  ["target_quota", words.targetQuota],
  ["request_quota", words.requestQuota],
  ["reco_threshold", words.recoThreshold],
  ["current_month_recos", words.thisMonth],
  ["previous_month_recos", words.lastMonth],
  ["total_recos", words.total],
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
      title={text.overview.settingsTitle(name)}
      action={text.save}
      onClose={onClose}
      onSubmit={(fields) =>
        attempt(() => {
          const perSecond = fields.get("requests_per_second_limit");
          return ask("PUT", pathOf("cloud_databases", name), {
            state_name: state.value,
            ...Object.fromEntries(COUNTS.map(([field]) => [field, Number(fields.get(field))])),
            requests_per_second_limit: perSecond === "" ? null : Number(perSecond),
          });
        }, text.overview.saved(name))
      }
    >
      <StateSelect state={state} />
      <div class="field-grid">
        {COUNTS.map(([field, label]) => (
          <CountField key={field} label={label} name={field} required defaultValue={database[field]} />
        ))}
        <CountField
          label={words.perSecond}
          hint={words.perSecondHint}
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
      title={text.overview.settingsTitle(name)}
      action={text.save}
      onClose={onClose}
      onSubmit={() =>
        attempt(
          () => ask("PUT", pathOf("vumark_databases", name), { state_name: state.value }),
          text.overview.saved(name),
        )
      }
    >
      <StateSelect state={state} />
    </FormDialog>
  );
}

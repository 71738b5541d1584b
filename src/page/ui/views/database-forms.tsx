import { useSignal } from "@preact/signals";
import type { DatabaseState } from "../../../schema/cloud-database.ts";
import { nextDatabaseName } from "../../../schema/page.ts";
import type { PageCloudDatabase, PageVuMarkDatabase } from "../../model.ts";
import { Field, NumberField, Select, set } from "../parts/controls.tsx";
import { FormDialog } from "../parts/dialogs.tsx";
import { STATES } from "../parts/facts.tsx";
import { ask, attempt, pathOf } from "../state/api.ts";
import { state as server } from "../state/connection.ts";
import { usedDatabase } from "../state/targets.ts";

export type DatabaseKind = "cloud_databases" | "vumark_databases";
export const KINDS = { cloud_databases: "Cloud recognition", vumark_databases: "VuMark" } as const;

export function AddDatabase({ onClose }: { readonly onClose: () => void }) {
  const kind = useSignal<DatabaseKind>("cloud_databases");
  return (
    <FormDialog
      title="Add database"
      action="Add database"
      onClose={onClose}
      onSubmit={(fields) => {
        const { cloudDatabases = [], vuMarkDatabases = [] } = server.value ?? {};
        const given = String(fields.get("name"));
        const databaseName = given === "" ? nextDatabaseName([...cloudDatabases, ...vuMarkDatabases]) : given;
        const add = async () => {
          await ask("POST", pathOf(kind.value), { databaseName });
          if (kind.value === "cloud_databases") usedDatabase.value = databaseName;
        };
        return attempt(add, `Added ${databaseName}`);
      }}
    >
      <Select
        label="Kind"
        value={kind.value}
        options={[
          ["cloud_databases", KINDS.cloud_databases],
          ["vumark_databases", KINDS.vumark_databases],
        ]}
        onChange={(value) => set(kind, value)}
      />
      <Field
        label="Name"
        hint="Leave empty for database-1, database-2 and so on. Keys are always generated."
        name="name"
        autofocus
      />
    </FormDialog>
  );
}

const COUNTS = [
  ["targetQuota", "Target quota"],
  ["requestQuota", "Request quota"],
  ["recoThreshold", "Recognition threshold"],
  ["currentMonthRecos", "Recognitions this month"],
  ["previousMonthRecos", "Recognitions last month"],
  ["totalRecos", "Recognitions in total"],
] as const;
const PER_SECOND = "requestsPerSecondLimit";

interface SettingsProps {
  readonly database: PageCloudDatabase | PageVuMarkDatabase;
  readonly onClose: () => void;
}

export function DatabaseSettings({ database, onClose }: SettingsProps) {
  const { databaseName: name } = database;
  const cloud = "targetQuota" in database ? database : undefined;
  const state = useSignal<DatabaseState>(database.stateName);
  const change = (fields: FormData) => {
    const perSecond = fields.get(PER_SECOND);
    return ask("PUT", pathOf(cloud === undefined ? "vumark_databases" : "cloud_databases", name), {
      stateName: state.value,
      ...(cloud && {
        ...Object.fromEntries(COUNTS.map(([field]) => [field, Number(fields.get(field))])),
        [PER_SECOND]: perSecond === "" ? null : Number(perSecond),
      }),
    });
  };
  return (
    <FormDialog
      title={`Settings of ${name}`}
      action="Save"
      onClose={onClose}
      onSubmit={(fields) => attempt(() => change(fields), `Saved ${name}`)}
    >
      <Select
        label="State"
        hint="Every state except Working refuses requests with 403"
        value={state.value}
        options={STATES}
        onChange={(value) => set(state, value)}
      />
      {cloud && (
        <div class="field-grid">
          {COUNTS.map(([field, label]) => (
            <NumberField key={field} label={label} name={field} required defaultValue={cloud[field]} />
          ))}
          <NumberField
            label="Requests per second"
            hint="Empty: no limit"
            name={PER_SECOND}
            defaultValue={cloud[PER_SECOND] ?? ""}
          />
        </div>
      )}
    </FormDialog>
  );
}

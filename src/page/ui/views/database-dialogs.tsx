import { useSignal } from "@preact/signals";
import type { CloudDatabase } from "../../../core/schema/cloud-database.ts";
import { nextDatabaseName } from "../../../core/schema/protocol.ts";
import type { PageDatabase } from "../../model.ts";
import { Button, CopyButton, Field, NumberField, Select, set } from "../parts/controls.tsx";
import { Dialog, FormDialog } from "../parts/dialogs.tsx";
import { STATES } from "../parts/facts.tsx";
import { ask, attempt, pathOf } from "../state/api.ts";
import { usedDatabase } from "../state/connection.ts";
import { baseUrlOf, curlCommands } from "../state/curl.ts";

export const KINDS = { cloud: "Cloud recognition", vumark: "VuMark" } as const;

export const AddDatabase = ({
  databases,
  onClose,
}: {
  readonly databases: readonly PageDatabase[];
  readonly onClose: () => void;
}) => (
  <FormDialog
    title="Add database"
    action="Add database"
    onClose={onClose}
    onSubmit={(fields) => {
      const kind = String(fields.get("kind"));
      const given = String(fields.get("name"));
      const databaseName = given === "" ? nextDatabaseName(databases) : given;
      const add = async () => {
        await ask("POST", pathOf(`${kind}_databases`), { databaseName });
        if (kind === "cloud") usedDatabase.value = databaseName;
      };
      return attempt(add, `Added ${databaseName}`);
    }}
  >
    <Select label="Kind" name="kind" options={Object.entries(KINDS)} />
    <Field
      label="Name"
      hint="Leave empty for database-1, database-2 and so on. Keys are always generated."
      name="name"
      autofocus
    />
  </FormDialog>
);

const COUNTS = [
  ["targetQuota", "Target quota"],
  ["requestQuota", "Request quota"],
  ["recoThreshold", "Recognition threshold"],
  ["currentMonthRecos", "Recognitions this month"],
  ["previousMonthRecos", "Recognitions last month"],
  ["totalRecos", "Recognitions in total"],
] as const;
const PER_SECOND = "requestsPerSecondLimit";

interface DatabaseProps<Database> {
  readonly database: Database;
  readonly onClose: () => void;
}

export function ChangeDatabase({ database, onClose }: DatabaseProps<PageDatabase>) {
  const { databaseName: name } = database;
  const cloud = database.kind === "cloud" ? database : undefined;
  const change = (fields: FormData) => {
    const perSecond = fields.get(PER_SECOND);
    return ask("PUT", pathOf(`${database.kind}_databases`, name), {
      stateName: fields.get("stateName"),
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
        hint="Other states refuse some or all requests"
        name="stateName"
        value={database.stateName}
        options={STATES}
      />
      {cloud && (
        <div class="grid fields">
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

export function Snippets({ database, onClose }: DatabaseProps<CloudDatabase>) {
  const language = useSignal<keyof typeof SNIPPETS>("curl");
  const code = SNIPPETS[language.value](database);
  return (
    <Dialog wide title={`Connect to ${database.databaseName}`} onClose={onClose}>
      <p>Ready to run, with the keys of this database.</p>
      <div class="row">
        <fieldset class="row grow">
          <legend class="visually-hidden">Language</legend>
          {(["curl", "Node", "In a test"] as const).map((name) => (
            <Button
              key={name}
              label={name}
              aria-pressed={language.value === name}
              onClick={() => set(language, name)}
            />
          ))}
        </fieldset>
        <CopyButton kind="plain" value={code} label="Copy" />
      </div>
      <pre class="sunken">
        <code>{code}</code>
      </pre>
    </Dialog>
  );
}

const SNIPPETS = {
  curl: ({ serverAccessKey: access, serverSecretKey: secret }: CloudDatabase) =>
    curlCommands({
      baseUrl: baseUrlOf("target"),
      method: "GET",
      path: "/targets",
      keys: { access, secret },
    }),

  Node: ({ serverAccessKey, serverSecretKey }: CloudDatabase) =>
    `import { authorizationHeader, rfc1123Date } from "mock-cloud-reco";

const keys = {
  accessKey: ${JSON.stringify(serverAccessKey)},
  secretKey: ${JSON.stringify(serverSecretKey)},
};
const date = rfc1123Date();
const authorization = authorizationHeader({ ...keys, method: "GET", path: "/targets", date });
const response = await fetch(${JSON.stringify(`${baseUrlOf("target")}/targets`)}, { headers: { authorization, date } });
console.log(await response.json());
`,

  "In a test": (database: CloudDatabase) =>
    `import { authorizationHeader, MockCloudReco, rfc1123Date } from "mock-cloud-reco";
import { expect, it } from "vitest";

it("lists no targets of an empty database", async () => {
  await using mock = new MockCloudReco();
  const database = mock.addCloudDatabase({
    databaseName: ${JSON.stringify(database.databaseName)},
    serverAccessKey: ${JSON.stringify(database.serverAccessKey)},
    serverSecretKey: ${JSON.stringify(database.serverSecretKey)},
    clientAccessKey: ${JSON.stringify(database.clientAccessKey)},
    clientSecretKey: ${JSON.stringify(database.clientSecretKey)},
  });
  const { serverAccessKey: accessKey, serverSecretKey: secretKey } = database;
  const date = rfc1123Date();
  const authorization = authorizationHeader({ accessKey, secretKey, method: "GET", path: "/targets", date });
  // Or your own client, unchanged: in this test, the mock answers requests to the service.
  const response = await fetch("https://vws.vuforia.com/targets", { headers: { authorization, date } });
  expect(await response.json()).toMatchObject({ result_code: "Success", results: [] });
});
`,
} as const;

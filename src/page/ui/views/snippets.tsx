import { useSignal } from "@preact/signals";
import type { PageCloudDatabase } from "../../model.ts";
import { Button, CopyButton, set } from "../parts/controls.tsx";
import { Dialog } from "../parts/dialogs.tsx";
import { baseUrlOf, curlCommands } from "../state/curl.ts";

interface SnippetsProps {
  readonly database: PageCloudDatabase;
  readonly onClose: () => void;
}

/** Ready-to-run code with this database's keys. */
export function Snippets({ database, onClose }: SnippetsProps) {
  const language = useSignal<keyof typeof SNIPPETS>("curl");
  const code = SNIPPETS[language.value](database);
  return (
    <Dialog wide title={`Use ${database.databaseName}`} onClose={onClose}>
      <p>Ready to run, with the keys of this database.</p>
      <div class="row">
        <fieldset class="row grow">
          <legend class="visually-hidden">Use it</legend>
          {(["curl", "Node", "In a test"] as const).map((name) => (
            <Button
              key={name}
              label={name}
              aria-pressed={language.value === name}
              onClick={() => set(language, name)}
            />
          ))}
        </fieldset>
        <CopyButton bare={false} value={code} label="Copy" />
      </div>
      <pre class="sunken">
        <code>{code}</code>
      </pre>
    </Dialog>
  );
}

const SNIPPETS = {
  curl: ({ serverAccessKey: access, serverSecretKey: secret }: PageCloudDatabase) =>
    curlCommands({
      baseUrl: baseUrlOf("target"),
      method: "GET",
      path: "/targets",
      keys: { access, secret },
    }),

  Node: ({ serverAccessKey, serverSecretKey }: PageCloudDatabase) =>
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

  "In a test": (database: PageCloudDatabase) =>
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

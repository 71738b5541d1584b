import { useSignal } from "@preact/signals";
import type { PageCloudDatabase } from "../../model.ts";
import { CopyButton } from "../parts/controls.tsx";
import { Dialog } from "../parts/dialogs.tsx";
import { state } from "../state/connection.ts";
import { shellQuoted } from "../state/curl.ts";

const LANGUAGES = { curl: "curl", node: "Node", test: "In a test" } as const;
type Language = keyof typeof LANGUAGES;
const LANGUAGE_NAMES = Object.keys(LANGUAGES) as readonly Language[];

interface SnippetsProps {
  readonly database: PageCloudDatabase;
  readonly onClose: () => void;
}

/** Ready-to-run code with this database's keys. */
export function Snippets({ database, onClose }: SnippetsProps) {
  const language = useSignal<Language>("curl");
  const code = SNIPPETS[language.value](database, state.value?.urls.target ?? "https://vws.vuforia.com");
  return (
    <Dialog wide title={`Use ${database.databaseName}`} onClose={onClose}>
      <p>Ready to run, with the keys and addresses of this database.</p>
      <fieldset class="tabs">
        <legend class="visually-hidden">Use it</legend>
        {LANGUAGE_NAMES.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={language.value === name}
            onClick={() => {
              language.value = name;
            }}
          >
            {LANGUAGES[name]}
          </button>
        ))}
      </fieldset>
      <div class="code-block">
        <pre>
          <code>{code}</code>
        </pre>
        <CopyButton value={code} label="Copy" />
      </div>
    </Dialog>
  );
}

type Snippet = (database: PageCloudDatabase, targetUrl: string) => string;

const SNIPPETS: Readonly<Record<Language, Snippet>> = {
  curl: ({ serverAccessKey, serverSecretKey }, url) => `ACCESS_KEY=${shellQuoted(serverAccessKey)}
SECRET_KEY=${shellQuoted(serverSecretKey)}

DATE=$(LC_ALL=C date -u '+%a, %d %b %Y %H:%M:%S GMT')
MD5=$(printf '' | openssl md5 | sed 's/.* //')
SIGNATURE=$(printf 'GET\\n%s\\n\\n%s\\n/targets' "$MD5" "$DATE" |
  openssl dgst -sha1 -hmac "$SECRET_KEY" -binary | openssl base64)

curl ${shellQuoted(`${url}/targets`)} \\
  -H "Date: $DATE" \\
  -H "Authorization: VWS $ACCESS_KEY:$SIGNATURE"
`,
  node: (
    { serverAccessKey, serverSecretKey },
    url,
  ) => `import { authorizationHeader, rfc1123Date } from "mock-cloud-reco";

const keys = {
  accessKey: ${JSON.stringify(serverAccessKey)},
  secretKey: ${JSON.stringify(serverSecretKey)},
};
const date = rfc1123Date();
const authorization = authorizationHeader({ ...keys, method: "GET", path: "/targets", date });
const response = await fetch(${JSON.stringify(`${url}/targets`)}, { headers: { authorization, date } });
console.log(await response.json());
`,
  test: (database) => `import { MockCloudReco } from "mock-cloud-reco";

await using mock = new MockCloudReco();
const database = mock.addCloudDatabase({
  databaseName: ${JSON.stringify(database.databaseName)},
  serverAccessKey: ${JSON.stringify(database.serverAccessKey)},
  serverSecretKey: ${JSON.stringify(database.serverSecretKey)},
  clientAccessKey: ${JSON.stringify(database.clientAccessKey)},
  clientSecretKey: ${JSON.stringify(database.clientSecretKey)},
});
// Your client, unchanged: requests to https://vws.vuforia.com are answered in this process.
`,
};

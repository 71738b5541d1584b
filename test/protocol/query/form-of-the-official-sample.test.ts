import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { samplePicture } from "mock-cloud-reco";
import { type StartServersOptions, startServers } from "mock-cloud-reco/server";
import { expect, test } from "vitest";
import { sayWhatIsSkipped } from "../../support/skipped.ts";

const hasPython = spawnSync("python3", ["--version"]).status === 0;
if (!hasPython) sayWhatIsSkipped("the query sample for httplib (no python3)");

/** Sends a query as the service's sample for Python does; `httplib` is `http.client` in Python 3. It decodes no gzip. */
const SAMPLE = `
import base64, hashlib, hmac, http.client, json, os, sys
from email.utils import formatdate

boundary = "----------ThIs_Is_tHe_bouNdaRY_$"
lines = []
for name, value in [("include_target_data", "all"), ("max_num_results", "5")]:
    lines += ["--" + boundary, 'Content-Disposition: form-data; name="%s"' % name, "", value]
lines += ["--" + boundary, 'Content-Disposition: form-data; name="image"; filename="query.jpg"']
lines += ["Content-Type: image/jpeg", "", ""]
body = "\\r\\n".join(lines).encode() + sys.stdin.buffer.read() + ("\\r\\n--%s--\\r\\n\\r\\n" % boundary).encode()

date = formatdate(None, localtime=False, usegmt=True)
signed = "\\n".join(["POST", hashlib.md5(body).hexdigest(), "multipart/form-data", date, "/v1/query"])
digest = hmac.new(os.environ["SECRET_KEY"].encode(), signed.encode(), hashlib.sha1).digest()
headers = {
    "Accept": "application/json",
    "Authorization": "VWS %s:%s" % (os.environ["ACCESS_KEY"], base64.b64encode(digest).decode()),
    "Content-Type": "multipart/form-data; boundary=%s" % boundary,
    "Date": date,
}
connection = http.client.HTTPConnection(os.environ["HOST"])
connection.request("POST", "/v1/query", body, headers)
response = connection.getresponse()
try:
    print(response.status, json.loads(response.read())["results"][0]["target_data"]["name"])
except UnicodeDecodeError:
    print(response.status, "not decoded:", response.getheader("Content-Encoding"))
`;

async function queried(options: StartServersOptions): Promise<string> {
  await using servers = await startServers(options);
  const database = servers.addCloudDatabase();
  const image = Buffer.from(await samplePicture(1));
  await servers.addTarget(database, { name: "poster", image, processed: true });
  const env = {
    ...process.env,
    ACCESS_KEY: database.clientAccessKey,
    SECRET_KEY: database.clientSecretKey,
    HOST: new URL(servers.urls.query).host,
  };
  const running = promisify(execFile)("python3", ["-c", SAMPLE], { env });
  running.child.stdin?.end(image);
  return (await running).stdout.trim();
}

test.skipIf(!hasPython).each<[string, StartServersOptions]>([
  ["200 poster", { profile: "vuforia" }],
  ["200 poster", { profile: "neutral", queryContentEncoding: "identity" }],
  ["200 not decoded: gzip", { profile: "neutral" }],
])("the sample for httplib gets %s with %j", async (answer, options) => {
  expect(await queried(options)).toBe(answer);
});

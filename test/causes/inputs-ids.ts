import { image, listing, request, type Sent, type Situation } from "../protocol/mistakes/mistakes.ts";
import { sendSigned } from "../support/answers.ts";
import type { Input } from "./inputs.ts";

/** Adds a target, and asks for it by something else than its id. */
const asked = (what: string, from: (id: string) => string, is: string): Input => [
  what,
  async (s) => {
    const body = { name: "poster", width: 1, image: image.toString("base64") };
    const { fields } = await sendSigned(s.service, s.keys, { method: "POST", path: "/targets", body });
    const id = String(fields.target_id);
    return request(s, "GET", `/targets/${encodeURIComponent(from(id))}`);
  },
  "target.unknown",
  { is },
];
const keyed = (what: string, from: (s: Situation) => string, code: Input[2], facts: object): Input => [
  what,
  (s): Sent => ({ ...listing(s), accessKey: from(s) }),
  code,
  facts,
];
const placeholder = (text: string): Input =>
  keyed(`the access key ${text}`, () => text, "key.unset", { text });

const asUuid = (id: string) => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

/** Ids of targets and access keys that templates, shells and databases' names took the place of. */
export const IDS: readonly Input[] = [
  asked("a target's id in quotation marks", (id) => `"${id}"`, "altered"),
  asked("a target's id and a line feed", (id) => `${id}\n`, "altered"),
  asked("a target's id and a space", (id) => `${id} `, "altered"),
  asked("a target's id in upper case", (id) => id.toUpperCase(), "altered"),
  asked("a target's id with dashes, as a UUID", asUuid, "altered"),
  asked("a target's id in angle brackets", (id) => `<${id}>`, "altered"),
  asked("a target's name", () => "poster", "name"),
  asked("the id {id}", () => "{id}", "placeholder"),
  asked("the id :id", () => ":id", "placeholder"),
  asked("the id {{target_id}}", () => "{{target_id}}", "placeholder"),
  asked("the id <target_id>", () => "<target_id>", "placeholder"),
  asked("the id of a shell's variable", () => "$TARGET_ID", "placeholder"),
  ...[
    "{access_key}",
    "{{server_access_key}}",
    "$VUFORIA_SERVER_ACCESS_KEY",
    "%ACCESS_KEY%",
    "<access_key>",
  ].map(placeholder),
  keyed("an access key in angle brackets", (s) => `<${s.keys.serverAccessKey}>`, "key.altered", {}),
  keyed("a secret key in angle brackets", (s) => `<${s.keys.serverSecretKey}>`, "key.unknown", {}),
  keyed("the database's name as the access key", (s) => s.keys.databaseName, "key.unknown", { is: "name" }),
  keyed("the database's id as the access key", (s) => s.keys.databaseId, "key.unknown", { is: "id" }),
];

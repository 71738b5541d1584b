import type { HeaderList } from "../emulator/message.ts";
import type { Profile } from "../emulator/profiles.ts";
import { assumed, type Fact, slug } from "./fact.ts";
import { refused, success } from "./target-answer.ts";
import { jsonHeaders } from "./target-facts.ts";

type Answer = Parameters<typeof success>[0];

const withType = (profile: Profile, contentType: string): HeaderList =>
  jsonHeaders(profile).map(([name, value]) => [name, name === "Content-Type" ? contentType : value]);

/** How each kind of image begins, read as UTF-8. */
const IMAGES: Readonly<Record<string, string>> = {
  "image/png": "\ufffdPNG\r\n\u001a\n<any>",
  "image/svg+xml": "<any><svg<any>",
  "application/pdf": "%PDF<any>",
};

const image = (mediaType: string): Fact => {
  const fact = instance({
    id: mediaType,
    says: `answers with an image of the type ${mediaType}`,
    draft: { headers: { Accept: mediaType } },
    body: IMAGES[mediaType] ?? "",
  });
  return { ...fact, expected: (at) => ({ ...fact.expected(at), headers: withType(at.profile, mediaType) }) };
};

/** An instance of a template in a VuMark database. */
const instance = ({ id, ...rest }: Omit<Answer, "on">): Fact =>
  success({
    id: `vumark-${slug(id)}`,
    on: "instance",
    known: assumed,
    template: {},
    ...rest,
  });

const refusal = (
  id: string,
  says: string,
  status: number,
  code: string,
  rest: Omit<Partial<Answer>, "on">,
): Fact => instance({ id, says, status, body: refused(code), ...rest });

const ofState = (state_name: string, status: number, code: string): Fact =>
  refusal(
    slug(state_name.replace("PROJECT", "")),
    `refuses a template of a database in the state ${state_name}`,
    status,
    code,
    {
      template: { database: { state_name } },
      check: "stateAllows",
    },
  );

export const VUMARK_FACTS: readonly Fact[] = [
  ...Object.keys(IMAGES).map(image),
  ...[undefined, "*/*", "image/gif", "image/png, image/svg+xml"].map((accept, index) =>
    refusal(
      `accept-${index + 1}`,
      `refuses ${accept === undefined ? "a request without Accept" : `Accept ${accept}`}`,
      400,
      "InvalidAcceptHeader",
      { draft: { headers: { Accept: accept ?? null } }, check: "mediaTypeAccepted" },
    ),
  ),
  refusal(
    "processing",
    "refuses a template that is being processed, whatever its Accept",
    403,
    "TargetStatusNotSuccess",
    {
      template: { target: { processing_time_seconds: 600 } },
      draft: { headers: { Accept: "x" } },
      check: "templateProcessed",
    },
  ),
  refusal("unknown", "does not know another target", 404, "UnknownTarget", {
    draft: { path: "/targets/unknown/instances" },
    check: "knownTarget",
  }),
  refusal("wrong-key", "refuses a wrong signature", 401, "AuthenticationFailure", {
    draft: { wrongKey: true },
    check: "signatureMatches",
  }),
  ofState("PROJECT_SUSPENDED", 403, "ProjectSuspended"),
  ofState("PROJECT_HAS_NO_API_ACCESS", 403, "ProjectHasNoApiAccess"),
  {
    ...image("image/png"),
    id: "target-vumark-inactive",
    sentence: "An instance of a template of an inactive database is generated.",
    template: { database: { state_name: "PROJECT_INACTIVE" } },
  },
  instance({
    id: "inactive-unknown",
    says: "is served for an inactive VuMark database, so that an unknown target is unknown",
    template: { database: { state_name: "PROJECT_INACTIVE" } },
    draft: { path: "/targets/unknown/instances" },
    status: 404,
    body: refused("UnknownTarget"),
  }),
  success({
    id: "vumark-cloud-target",
    says: "refuses the target of a cloud database, whatever its Accept",
    on: "instance",
    uses: "processed",
    draft: { headers: { Accept: "x" } },
    status: 422,
    body: refused("InvalidTargetType"),
    known: assumed,
    check: "databaseHasTemplates",
  }),
  success({
    id: "vumark-keys",
    says: "refuses the keys of a VuMark database",
    on: "summary",
    template: {},
    needs: "writing",
    status: 400,
    body: refused("Fail"),
    known: assumed,
    check: "knownAccessKey",
  }),
];

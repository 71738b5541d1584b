import { profiles, REAL_PROFILE } from "../emulator/profiles.ts";
import { DATASET_CASES } from "./dataset-cases.ts";
import { type DatasetCase, dataset } from "./dataset-requests.ts";
import { DATASET_VIEW_CASES } from "./dataset-view-cases.ts";
import { assumed, type Expected, type Fact, type MakeRequest, type Situation } from "./fact.ts";
import { fieldsOf } from "./home.ts";
import {
  ADVANCED,
  answered,
  bearer,
  empty,
  invalidJson,
  jsonBearer,
  jsonFact,
  NO_JSON,
  NOT_JSON,
  notFound,
  STANDARD,
  validationError,
} from "./json-fact.ts";
import { targetAnswer } from "./target-facts.ts";

type Rest = Parameters<typeof jsonFact>[2];

const CREATED = answered(201, '{"uuid":"<id>"}');
const creation = (rest: Partial<Rest>): Rest => ({
  method: "POST",
  path: STANDARD,
  headers: jsonBearer,
  needs: "writing",
  body: "{}",
  expected: CREATED,
  ...rest,
});
/** Over sockets it ends the connection. */
const BAD_LENGTH: Expected = {
  ...validationError(["The Content-Length header must be an integer"]),
  headers: [
    ["Content-Type", "application/json"],
    ["Connection?", "close"],
  ],
};
const withType = (contentType: string) => (at: Situation) => ({ ...bearer(at), "Content-Type": contentType });

/** The first stage with a finding reports, with everything that it found. */
function validation({ what, body, found, isAdvanced = false }: DatasetCase): Fact {
  const messages = typeof found === "function" ? found : () => found;
  const isTraining = messages(profiles[REAL_PROFILE]).length === 0;
  return jsonFact(
    `validation ${isAdvanced ? "advanced " : ""}${what}`,
    `${isAdvanced ? "An advanced" : "A"} dataset creation with ${what} is ${shown(found)}.`,
    creation({
      path: isAdvanced ? ADVANCED : STANDARD,
      body: JSON.stringify(body),
      needs: isTraining ? "spending" : "writing",
      expected: ({ profile }) => {
        const findings = messages(profile);
        return findings.length === 0 ? CREATED : validationError(findings);
      },
      ...(Object.values(profiles).every((profile) => messages(profile).length > 0) && {
        check: "validRequest",
      }),
    }),
  );
}

function shown(found: DatasetCase["found"]): string {
  if (typeof found === "function") return "answered by profile";
  return found.length === 0 ? "accepted" : `refused: ${found.join("; ").trim()}`;
}

const UNKNOWN = "0123456789abcdef0123456789abcdef";
const noDataset = (uuid: string): Expected =>
  notFound(`Could not find a model-view database with uuid ${uuid}`, "userId:<any>");

const unknown: readonly Fact[] = [STANDARD, ADVANCED].flatMap((path) => [
  ...["status", "dataset"].map((what) =>
    jsonFact(
      `unknown ${what} ${path}`,
      `GET ${path}/{uuid}/${what} of an unknown dataset is answered with 404.`,
      {
        path: `${path}/${UNKNOWN}/${what}`,
        headers: bearer,
        expected: noDataset(UNKNOWN),
        check: "knownDataset",
      },
    ),
  ),
  jsonFact(`unknown delete ${path}`, `DELETE ${path}/{uuid} of an unknown dataset is answered with 404.`, {
    method: "DELETE",
    path: `${path}/${UNKNOWN}`,
    headers: bearer,
    expected: noDataset(UNKNOWN),
    needs: "writing",
    check: "knownDataset",
  }),
]);

const bodies: readonly Fact[] = [
  ...["application/json; charset=utf-8", "text/json", "x/y, text/json"].map((type) =>
    jsonFact(
      `content type ${type}`,
      `A dataset creation with the content type ${type} is accepted.`,
      creation({ headers: withType(type), body: JSON.stringify(dataset()), needs: "spending" }),
    ),
  ),
  ...["text/plain", "application/jso", "multipart/form-data; boundary=x", ""].map((type) =>
    jsonFact(
      `content type ${type === "" ? "empty" : type}`,
      `A dataset creation with the content type ${JSON.stringify(type)} is answered with 415, whatever its body.`,
      creation({ headers: withType(type), body: "{", expected: NOT_JSON, check: "jsonContentType" }),
    ),
  ),
  jsonFact(
    "content type none",
    "A dataset creation without a content type is answered with 415, whatever its body.",
    creation({ headers: bearer, body: "{", expected: NOT_JSON, check: "jsonContentType" }),
  ),
  ...["1.5", "x"].map((contentLength) =>
    jsonFact(
      `content length ${contentLength}`,
      `A dataset creation with the Content-Length ${contentLength} is answered by profile.`,
      creation({
        headers: () => ({}),
        contentLength,
        check: "contentLengthIsInteger",
        expected: ({ profile }) =>
          profile.invalidDatasetLength === "page" ? targetAnswer("length", profile) : BAD_LENGTH,
      }),
    ),
  ),
  jsonFact(
    "token content length",
    "A token request with the Content-Length x is answered with the load balancer's page.",
    {
      method: "POST",
      path: "/oauth2/token",
      contentLength: "x",
      check: "contentLengthIsInteger",
      expected: ({ profile }) => targetAnswer("length", profile),
    },
  ),
  ...NO_JSON.map(([what, body]) =>
    jsonFact(
      `json ${what}`,
      `A dataset creation with ${what} is answered by profile.`,
      creation({ body, expected: invalidJson, check: "validJson" }),
    ),
  ),
];

const created = (family: string): MakeRequest =>
  jsonFact("", "", creation({ path: family, body: JSON.stringify(dataset()) })).request;
const pathOf =
  (family: string, what = "") =>
  (at: Situation): string =>
    `${family}/${at.given("uuid")}${what}`;
const removed =
  (family: string): MakeRequest =>
  (at) => ({ method: "DELETE", path: pathOf(family)(at), headers: bearer(at) });

/** A fact about a dataset that was created for it. */
const ofDataset = (id: string, sentence: string, rest: Rest): Fact =>
  jsonFact(`dataset ${id}`, sentence, {
    headers: bearer,
    needs: "spending",
    before: [created(STANDARD)],
    ...rest,
  });
const status = (content: string) => (at: Situation) =>
  answered(200, `{"status":"${content.replace("UUID", at.given("uuid"))}}`);
const DONE = status('done","uuid":"UUID","createdAt":"<moment>","completedAt":"<moment>"');
const isProcessing: Fact["again"] = (response) => fieldsOf(response).status === "processing";

const life: readonly Fact[] = [
  ofDataset("status", "The status of a new dataset is processing, with the time at which it will be done.", {
    path: pathOf(STANDARD, "/status"),
    expected: status('processing","uuid":"UUID","createdAt":"<moment>","eta":"<moment>"'),
  }),
  ofDataset("status done", "The status of a dataset is done after its processing, with the time of that.", {
    path: pathOf(STANDARD, "/status"),
    again: isProcessing,
    expected: DONE,
  }),
  ofDataset("status other family", "The status of a dataset is also that through the other family's route.", {
    path: pathOf(ADVANCED, "/status"),
    again: isProcessing,
    expected: DONE,
  }),
  ofDataset("download early", "The download of a new dataset is answered with 422.", {
    path: pathOf(STANDARD, "/dataset"),
    expected: (at) =>
      answered(422, {
        error: {
          code: "UNSUPPORTED_STATE",
          message: `Training status for dataset ${at.given("uuid")} is not-started != done`,
          target: at.given("uuid"),
        },
      }),
  }),
  ofDataset("download", "The download of a dataset is a zip file after its processing.", {
    path: pathOf(STANDARD, "/dataset"),
    again: (response) => response.status === 422,
    expected: {
      status: 200,
      headers: [
        ["Content-Type", "application/zip"],
        ["Content-Disposition", "attachment; filename=full-dataset.zip"],
      ],
      body: "PK\u0003\u0004<any>",
    },
  }),
  ofDataset("delete", "DELETE of a dataset is answered with 200 and an empty body.", {
    method: "DELETE",
    path: pathOf(STANDARD),
    expected: empty(200),
  }),
  ...["/status", "/dataset", ""].map((what) =>
    ofDataset(
      `deleted ${what === "" ? "delete" : what}`,
      `${what === "" ? "DELETE" : `GET of ${what}`} of a deleted dataset is answered with 404.`,
      {
        method: what === "" ? "DELETE" : "GET",
        path: pathOf(STANDARD, what),
        before: [created(STANDARD), removed(STANDARD)],
        check: "knownDataset",
        expected: (at) => noDataset(at.given("uuid")),
      },
    ),
  ),
  ...[
    [STANDARD, ADVANCED],
    [ADVANCED, STANDARD],
  ].map(([own = "", other = ""]) =>
    ofDataset(
      `deleted through ${other}`,
      `DELETE of a dataset through ${other} instead of ${own} deletes it or not, by profile.`,
      {
        path: pathOf(own, "/status"),
        before: [created(own), removed(other)],
        again: isProcessing,
        expected: (at) => (at.profile.crossFamilyDeleteDeletes ? noDataset(at.given("uuid")) : DONE(at)),
      },
    ),
  ),
];

const encoded = jsonFact("percent encoded uuid", "A dataset's uuid in a path is percent-decoded, once.", {
  path: `${STANDARD}/%30${UNKNOWN.slice(1)}%2541/status`,
  headers: bearer,
  known: assumed,
  expected: noDataset(`${UNKNOWN}%41`),
  check: "knownDataset",
});

export const DATASET_FACTS: readonly Fact[] = [
  ...unknown,
  ...bodies,
  ...life,
  encoded,
  ...[...DATASET_CASES, ...DATASET_VIEW_CASES].map(validation),
];

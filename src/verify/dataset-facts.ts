import { fieldsOf } from "./database.ts";
import { DATASET_CASES } from "./dataset-cases.ts";
import { DATASET_VIEW_CASES } from "./dataset-view-cases.ts";
import { type Expected, type Fact, type Situation, slug } from "./fact.ts";
import {
  answered,
  CREATED,
  datasetGone,
  empty,
  invalidJson,
  MODEL_TARGET,
  NO_JSON,
  NOT_JSON,
  noDataset,
  TARGET,
  validationError,
} from "./kinds.ts";
import { ADVANCED, body, type Draft, header, path, STANDARD, set, UNKNOWN_ID } from "./requests.ts";
import {
  type Answer,
  ASSUMED,
  type Change,
  factsOf,
  type More,
  type Row,
  requestTo,
  type Table,
} from "./row.ts";

const [STATUS, CREATE, DOWNLOAD, DELETE] = [
  "dataset status",
  "create dataset",
  "dataset download",
  "delete dataset",
] as const;

const UNKNOWN = [
  ["status", "GET", "/status"],
  ["dataset", "GET", "/dataset"],
  ["delete", "DELETE", ""],
] as const;
const unknown = (family: string): readonly Row<Draft>[] =>
  UNKNOWN.map(([what, method, rest]) => [
    STATUS,
    `${slug(`unknown ${what} ${family}`)}: ${method} ${family}/{uuid}${rest} of an unknown dataset is answered with 404`,
    noDataset(UNKNOWN_ID),
    set({ method, path: `${family}/${UNKNOWN_ID}${rest}` }),
    { needs: method === "GET" ? "reading" : "writing" },
  ]);

/** Over sockets it ends the connection. */
const BAD_LENGTH: Expected = {
  ...validationError(["The Content-Length header must be an integer"]),
  headers: Object.entries({ "Content-Type": "application/json", "Connection?": "close" }),
};
const byLength = (at: Situation): Expected =>
  at.profile.invalidDatasetLength === "page" ? TARGET.named("not an integer", at) : BAD_LENGTH;
const ofLength = (contentLength: string): Row<Draft> => [
  CREATE,
  `${slug(`content length ${contentLength}`)}: with the Content-Length ${contentLength} is answered by profile`,
  byLength,
  body("{}"),
  set({ headers: {}, contentLength }),
];
/** A creation with a content type, or without. */
const ofType = (
  type: string | null,
  answer: Answer,
  says: string,
  special: Change<Draft> | More,
): Row<Draft> => {
  const shown = type === null ? "none" : type || "empty";
  const words = `${slug(`content type ${shown}`)}: with the content type ${shown} is ${says}`;
  return [CREATE, words, answer, header("Content-Type", type), special];
};
const SPENDING: More = { needs: "spending" };
const BY_PROFILE = "accepted or refused, by profile";

const DECODED = noDataset(`${UNKNOWN_ID}%41`);
const READ: More = { ...ASSUMED, needs: "reading" };
const ENCODED = path(`${STANDARD}/%30${UNKNOWN_ID.slice(1)}%2541/status`);
const BODIES: Table<Draft> = {
  ids: "model target",
  about: "A dataset creation",
  more: { needs: "writing" },
  rows: {
    served: [
      ofType("application/json; charset=utf-8", CREATED, "accepted", SPENDING),
      ofType("text/json", CREATED, "accepted", SPENDING),
      // By media type, or by what the header contains.
      ofType("x/y, text/json", { neutral: NOT_JSON, vuforia: CREATED }, BY_PROFILE, SPENDING),
      ofType("Application/JSON", { neutral: CREATED, vuforia: NOT_JSON }, BY_PROFILE, SPENDING),
    ],
    jsonContentType: ["text/plain", "application/jso", "multipart/form-data; boundary=x", "", null].map(
      (type) => ofType(type, NOT_JSON, "refused, whatever its body", body("{")),
    ),
    contentLengthIsInteger: ["1.5", "x"].map(ofLength),
    validJson: NO_JSON.map(
      ([what, bytes]): Row<Draft> => [
        CREATE,
        `json-${slug(what)}: with ${what} is answered by profile`,
        invalidJson,
        body(bytes),
      ],
    ),
    knownDataset: [
      ...unknown(STANDARD),
      ...unknown(ADVANCED),
      [STATUS, "percent-encoded-uuid: A uuid in a path is percent-decoded, once", DECODED, ENCODED, READ],
    ],
  },
};

const VALIDATION: Table<Draft> = {
  ids: "model target validation",
  about: "A dataset creation",
  rows: { served: [...DATASET_CASES, ...DATASET_VIEW_CASES] },
};

const created = (on: string = CREATE) => requestTo(MODEL_TARGET, on);
const removed = (family: string) =>
  requestTo(
    MODEL_TARGET,
    DELETE,
    path(({ given }: Situation) => `${family}/${given("uuid")}`),
  );
const otherFamily = (what: string) => path(({ given }) => `${ADVANCED}/${given("uuid")}${what}`);
const status = (content: string) => (at: Situation) =>
  answered(200, `{"status":"${content.replace("UUID", at.given("uuid"))}}`);
const PROCESSING = status('processing","uuid":"UUID","createdAt":"<moment>","eta":"<moment>"');
const DONE = status('done","uuid":"UUID","createdAt":"<moment>","completedAt":"<moment>"');
const UNTIL_DONE: More = { again: (response) => fieldsOf(response).status === "processing" };
const UNTIL_READY: More = { again: (response) => response.status === 422 };
const NOT_READY = ({ given }: Situation) =>
  answered(422, {
    error: {
      code: "UNSUPPORTED_STATE",
      message: `Training status for dataset ${given("uuid")} is not-started != done`,
      target: given("uuid"),
    },
  });
const ARCHIVE: Expected = {
  status: 200,
  headers: Object.entries({
    "Content-Type": "application/zip",
    "Content-Disposition": "attachment; filename=full-dataset.zip",
  }),
  body: "PK\u0003\u0004<any>",
};
const DELETED: More = { before: [created(), removed(STANDARD)] };
const OTHER_DELETED: More = { ...UNTIL_DONE, before: [created(), removed(ADVANCED)] };
const ADVANCED_DELETED: More = {
  ...UNTIL_DONE,
  before: [created("create advanced dataset"), removed(STANDARD)],
};
/** By profile, the other family's route deletes it or not. */
const deletedOrDone = (at: Situation) => (at.profile.crossFamilyDeleteDeletes ? datasetGone(at) : DONE(at));

/** About a dataset that was created for it. */
const LIFE: Table<Draft> = {
  ids: "model target dataset",
  more: { needs: "spending", before: [created()] },
  rows: {
    served: [
      [STATUS, "status: is processing for a new dataset, with an estimated end", PROCESSING],
      [STATUS, "status-done: is done afterwards, with the time of that", DONE, UNTIL_DONE],
      [
        STATUS,
        "status-other-family: is found through the other route too",
        DONE,
        otherFamily("/status"),
        UNTIL_DONE,
      ],
      [DOWNLOAD, "download-early: of a new dataset is answered with 422", NOT_READY],
      [DOWNLOAD, "download: is a zip file after its processing", ARCHIVE, UNTIL_READY],
      [DELETE, "delete: is answered with 200 and an empty body", empty(200)],
      [
        STATUS,
        "deleted-through-modeltargets-advanceddatasets: is gone or not, by profile",
        deletedOrDone,
        OTHER_DELETED,
      ],
      [
        STATUS,
        "deleted-through-modeltargets-datasets: is gone or not, by profile",
        deletedOrDone,
        otherFamily("/status"),
        ADVANCED_DELETED,
      ],
    ],
    knownDataset: [
      [STATUS, "deleted-status: of a deleted one is refused", datasetGone, DELETED],
      [DOWNLOAD, "deleted-dataset: of a deleted one is refused", datasetGone, DELETED],
      [DELETE, "deleted-delete: of a deleted one is refused", datasetGone, DELETED],
    ],
  },
};

export const DATASET_FACTS: readonly Fact[] = [BODIES, LIFE, VALIDATION].flatMap((table) =>
  factsOf(MODEL_TARGET, table),
);

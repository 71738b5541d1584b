import { check } from "../../emulator/check.ts";
import { addRemark } from "../../emulator/context.ts";
import { header } from "../../emulator/message.ts";
import { notYet, refuse } from "../../emulator/response.ts";
import { isUnset, show } from "../../general/text.ts";
import { cause } from "../../schema/causes/causes.ts";
import type { Database, TemplateTarget } from "../../schema/database.ts";
import { isProcessed } from "../../schema/processing.ts";
import type { Target } from "../../schema/target.ts";
import type { RecordsOf } from "../../store/records.ts";
import { unknownTarget } from "../explanations/values.ts";
import type { ApiContext, TargetsView } from "../services.ts";
import {
  requestQuotaLeft,
  signedByAnyDatabase,
  stateAllows,
  stateAllowsMore,
} from "../signed/authentication.ts";
import {
  bodyGiven,
  bodyIsJsonObject,
  contentLengthFits,
  contentTypeGiven,
  dateCurrent,
  keysAllowed,
} from "../signed/framing.ts";
import { failure } from "../signed/responses.ts";
import { FORMATS } from "./formats.ts";

type TargetContext = ApiContext & {
  readonly database: Database;
  readonly records: RecordsOf;
  readonly targets: TargetsView;
};

/** The path's target exists and is not deleted, in a database of either kind. Adds it to the context. */
const knownTarget = check({
  name: "knownTarget",
  refusals: [failure("UnknownTarget")],
  testLater: async (context: TargetContext) => {
    const { params, records, targets } = context;
    const id = params.id ?? "";
    const { hidden, target = records.templates.get(id) } = targets.find(id);
    if (hidden !== undefined) return notYet(failure("UnknownTarget"), hidden);
    return target === undefined
      ? unknownTarget(context, [...targets.list(), ...records.templates.values()])
      : { target };
  },
});

/** The service's limit depends on the template, and is far lower. */
export const LONGEST_INSTANCE_ID = 65_536;

/** `instance_id` is a string, not empty and not too long. */
const instanceIdGiven = check({
  name: "instanceIdGiven",
  refusals: [failure("BadRequest"), failure("InvalidInstanceId")],
  test: ({ body, entry }: ApiContext) => {
    const id = body.fields.instance_id;
    if (typeof id !== "string") {
      return refuse(failure("BadRequest"), cause("instance-id.type", { given: show(id) }));
    }
    if (id !== "" && isUnset(id)) addRemark(entry, cause("text.unset", { field: "instance_id", text: id }));
    return (
      (id !== "" && id.length <= LONGEST_INSTANCE_ID) ||
      refuse(
        failure("InvalidInstanceId"),
        cause("instance-id.length", { characters: id.length, most: LONGEST_INSTANCE_ID }),
      )
    );
  },
});

type InstanceContext = ApiContext & {
  readonly database: Database;
  readonly target: Target | TemplateTarget;
};

const databaseHasTemplates = check({
  name: "databaseHasTemplates",
  refusals: [failure("InvalidTargetType")],
  test: ({ database }: InstanceContext) =>
    database.kind === "vumark" || cause("database.not-vumark", { database: database.databaseName }),
});

/** The template target is past its processing time. */
const templateProcessed = check({
  name: "templateProcessed",
  refusals: [failure("TargetStatusNotSuccess")],
  test: ({ target, now }: InstanceContext) =>
    isProcessed(target, now) ||
    cause("target.processing", { seconds: target.processingTimeSeconds, asked: "instance" }),
});

/** `Accept` is one of the three media types. Adds the format to the context. */
const mediaTypeAccepted = check({
  name: "mediaTypeAccepted",
  refusals: [failure("InvalidAcceptHeader")],
  test: ({ request }: ApiContext) => {
    const mediaType = header(request, "accept");
    const format = FORMATS.get(mediaType ?? "");
    if (format !== undefined) return { format };
    const given = mediaType === undefined ? {} : { given: show(mediaType) };
    return cause("accept.format", { ...given, accepted: [...FORMATS.keys()].join(", ") });
  },
});

const badRequest = failure("BadRequest");

export const instanceTable = signedByAnyDatabase
  .and(requestQuotaLeft)
  .and(stateAllows)
  .and(stateAllowsMore)
  .and(knownTarget) // adds the path's target
  .and(dateCurrent)
  .and(bodyGiven(badRequest))
  .and(bodyIsJsonObject(badRequest))
  .and(keysAllowed(badRequest))
  .and(instanceIdGiven)
  .and(contentTypeGiven)
  .and(contentLengthFits)
  .and(databaseHasTemplates)
  .and(templateProcessed)
  .and(mediaTypeAccepted); // adds the format

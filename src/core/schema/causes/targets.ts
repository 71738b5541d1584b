import { refusal, remark } from "./row.ts";
import { unset } from "./words.ts";

const INSTEAD_OF_ID = {
  other: "send the id of a target that is not deleted",
  name: "send the id that adding the target returned: it is the target's name",
  altered: "send the id as it is, without other characters and in lower case",
  placeholder: "put the target's id into the path",
} as const;

/** Targets, VuMark instances and reports. */
export const targetCauses = {
  "rate.reached": refusal<{
    /** The limit's name, such as `requestsPerSecondLimit`. */
    readonly limit: string;
    readonly requests: number;
    readonly seconds: number;
    readonly isAligned: boolean;
  }>(
    "The requests that a rate limit allows are used up.",
    (facts) => `advance the clock, or raise the limit: ${usedUp(facts)}`,
    "Send fewer requests in that time; in a test, advance the clock or raise the limit.",
    "GET /targets, more often than requestsPerSecondLimit allows",
  ),
  "quota.requests": refusal<{ readonly database: string }>(
    "The request quota of the database is 0.",
    ({ database }) => `raise requestQuota: the database "${database}" accepts no requests while it is 0`,
    "Give the database a request quota above 0.",
    "GET /targets of a database whose requestQuota is 0",
  ),
  "quota.targets": refusal<{ readonly quota: number; readonly isManager?: boolean }>(
    "The database has as many targets as its quota allows.",
    ({ quota, isManager }) =>
      isManager === true
        ? `Delete targets, or raise target_quota: the database accepts ${quota} targets and has as many.`
        : `delete targets, or raise targetQuota: the database accepts ${quota} targets and has as many`,
    "Delete targets, or raise the database's target quota.",
    "POST /targets of a database whose targetQuota is 0",
  ),
  "database.state": refusal<{
    readonly database: string;
    readonly state: string;
    /** Whether some requests are served in this state. */
    readonly isReadable?: boolean;
  }>(
    "The state of the database forbids the request.",
    ({ database, state, isReadable }) =>
      `set the state of the database "${database}" to WORKING: it is ${state}` +
      (isReadable === true ? "; only GET requests other than duplicates are served in this state" : ""),
    "Set the state of the database to WORKING.",
    "POST /targets of a database whose state is PROJECT_INACTIVE",
  ),
  "database.deleted": refusal(
    "The database was deleted while the request was answered.",
    () =>
      "keep the database until its requests are answered: that of the access key was deleted in the meantime",
    "Keep the database until its requests are answered.",
    "POST /targets of a database that is deleted while the image is measured",
  ),
  "target.unknown": refusal<{
    readonly database: string;
    readonly id: string;
    readonly isManager?: boolean;
    readonly is?: keyof typeof INSTEAD_OF_ID;
  }>(
    "The database has no such target.",
    ({ database, id, isManager, is }) =>
      isManager === true
        ? `the cloud database ${database} has no undeleted target with the id ${id}`
        : `${INSTEAD_OF_ID[is ?? "other"]}; the database "${database}" has no undeleted target with the id ${id}`,
    "Use the id that adding the target returned, before the target is deleted.",
    "GET /targets/unknown",
  ),
  "target.elsewhere": refusal<{ readonly database: string; readonly id: string; readonly other: string }>(
    "The target is in another database.",
    ({ database, id, other }) =>
      `sign with the keys of the database that the target was added to: the database ${other} has ${id}, and "${database}" has no undeleted target with the id`,
    "Sign with the keys of the database that the target was added to.",
    "GET /targets/{id}, signed with the keys of another database",
  ),
  "target.deleted": refusal(
    "The target was deleted while the request was answered.",
    () => "await each request before the next one: another request deleted the target meanwhile",
    "Await each request for the target before the one that deletes it.",
    "DELETE /targets/{id}, twice at the same time",
  ),
  "target.status": refusal<{ readonly status: string; readonly accepted: string }>(
    "The target cannot be updated in its status.",
    ({ status, accepted }) =>
      `${status === "processing" ? "call finishProcessing(), or wait" : "delete the target and add it again"}: the service updates a target whose status is ${accepted}, not ${status}`,
    "Wait until the target is processed: in a test, advance the clock or call `finishProcessing()`.",
    "PUT /targets/{id} of a target that is still processing",
  ),
  "target.processing": refusal<{
    readonly seconds: number;
    readonly asked: "deletion" | "instance";
  }>(
    "The target is still processing.",
    ({ seconds, asked }) =>
      asked === "deletion"
        ? `call finishProcessing() before you delete the target: it processes for ${seconds} s after its last change`
        : `call finishProcessing(), or advance the clock: the target processes for ${seconds} s after its last change`,
    "Wait until the target is processed: in a test, advance the clock or call `finishProcessing()`.",
    "DELETE /targets/{id} of a target that is still processing",
  ),
  "image.type": refusal<{ readonly given: string }>(
    "The image is not text.",
    ({ given }) => `send image as a base64 string: got ${given}`,
    "Send the image as base64.",
    'POST /targets\n\n{ …, "image": 5 }',
  ),
  "metadata.type": refusal<{ readonly given: string }>(
    "The metadata is neither text nor null.",
    ({ given }) => `send application_metadata as a base64 string or null: got ${given}`,
    "Send the metadata as base64, or null.",
    'POST /targets\n\n{ …, "application_metadata": 5 }',
  ),
  "metadata.too-large": refusal<{ readonly bytes: number; readonly most: number }>(
    "The metadata is too large.",
    ({ bytes, most }) =>
      `send less application_metadata: it has ${bytes} bytes when decoded; expected at most ${most}`,
    "Send less metadata: the limit counts bytes before base64.",
    "POST /targets with application_metadata of more than 1 MiB",
  ),
  "flag.wrong": refusal<{ readonly given: string }>(
    "active_flag is no flag.",
    ({ given }) => `send active_flag as true, false, 1, 0 or null: got ${given}`,
    "Send true or false.",
    'POST /targets\n\n{ …, "active_flag": "true" }',
  ),
  "update.null": refusal<{ readonly field: string }>(
    "An update sets a field to null.",
    ({ field }) => `leave ${field} out, or give it a value: it is null, which an update does not accept`,
    "Leave out fields that do not change.",
    'PUT /targets/{id}\n\n{"active_flag": null}',
  ),
  "name.type": refusal<{ readonly given: string }>(
    "The name is not text.",
    ({ given }) => `send name as a string: got ${given}`,
    "Send the name as a string.",
    'POST /targets\n\n{ …, "name": 5 }',
  ),
  "name.length": refusal<{ readonly characters: number; readonly most: number; readonly given: string }>(
    "The name is empty or too long.",
    ({ characters, most, given }) => `send a name of 1 to ${most} characters: got ${characters}, ${given}`,
    "Send a name of 1 to 64 characters.",
    'POST /targets\n\n{ …, "name": "" }',
  ),
  "name.character": refusal<{ readonly character: string }>(
    "The name has a character on which the service fails.",
    ({ character }) =>
      `use only characters up to U+FFFF in the name: the service fails on others, such as its ${character}`,
    "Use only characters up to U+FFFF: no emoji.",
    'POST /targets\n\n{ …, "name": "\u{1f600}" }',
  ),
  "name.reencoded": remark<{ readonly name: string; readonly as: "latin1" | "replacement" }>(
    "The name was read in another encoding, and encoded again, before it was sent.",
    ({ name, as }) =>
      `read and send the name as UTF-8, once: the target has the name ${name}, which ` +
      (as === "latin1"
        ? "is UTF-8 that was read as Latin-1"
        : "has U+FFFD, which decoders write in place of bytes that are not UTF-8"),
    "Read the name in the encoding in which it was written, and send it as UTF-8.",
    'POST /targets\n\n{ …, "name": "K\u00c3\u00a4fer" }',
  ),
  "text.unset": remark<{ readonly field: string; readonly text: string }>(
    "A field is the text of a value that was not set; the service accepts it.",
    ({ field, text }) => `${unset(field, text)}, which is accepted`,
    "Check the variable that holds the value.",
    'POST /targets\n\n{ …, "name": "undefined" }',
  ),
  "name.taken": refusal<{ readonly name: string; readonly isManager?: boolean }>(
    "Another target has the name.",
    ({ name, isManager }) =>
      isManager === true
        ? `There is already a target with the name ${name} in the database.`
        : `choose another name, or delete the target that has it: the name ${name} is taken in the database`,
    "Choose another name, or delete the target that has it.",
    "POST /targets with the name of another target",
  ),
  "width.wrong": refusal<{ readonly given: string }>(
    "The width is not a number above 0.",
    ({ given }) => `send width as a number above 0: got ${given}`,
    "Send a width above 0, as a number.",
    'POST /targets\n\n{ …, "width": -1 }',
  ),
  "database.not-vumark": refusal<{ readonly database: string }>(
    "The target is not one of a VuMark database.",
    ({ database }) => `use a target of a VuMark database: the database "${database}" is a cloud database`,
    "Generate instances of the targets of a VuMark database.",
    "POST /targets/{id}/instances of a cloud database",
  ),
  "instance-id.type": refusal<{ readonly given: string }>(
    "The instance id is not text.",
    ({ given }) => `send instance_id as a string: got ${given}`,
    "Send the instance id as a string.",
    'POST /targets/{id}/instances\n\n{"instance_id": 5}',
  ),
  "instance-id.length": refusal<{ readonly characters: number; readonly most: number }>(
    "The instance id is empty or too long.",
    ({ characters, most }) => `send an instance_id of 1 to ${most} characters: got ${characters}`,
    "Send an instance id that is not empty, and not longer than the template allows.",
    'POST /targets/{id}/instances\n\n{"instance_id": ""}',
  ),
  "database-id.wrong": refusal<{ readonly isName?: boolean; readonly unset?: string | undefined }>(
    "The path names another database than the keys.",
    ({ isName, unset: text }) =>
      text !== undefined
        ? unset("the database's id", text)
        : isName === true
          ? "send the database's id (databaseId) in the path: it has the name"
          : "send the id of the database that the keys belong to: the path has another",
    "Use the id of the cloud database that the keys belong to.",
    "POST /imagetargets/databases/unknown/reports/recoCounts",
  ),
  "month.wrong": refusal<{ readonly given: string; readonly expected: string }>(
    "The month is neither the current nor the previous one.",
    ({ given, expected }) => `send ${expected} as month: got ${given}`,
    "Ask for the current or the previous month, in UTC, as YYYY-MM.",
    'POST /imagetargets/databases/{database_id}/reports/recoCounts\n\n{"month": "2000-01"}',
  ),
  "url.parameters": refusal<{ readonly missing: string }>(
    "The URL of a download lacks parameters.",
    ({ missing }) => `download from the URL as it was returned: it lacks ${missing}`,
    "Download from the presigned URL as it was returned.",
    "GET /reports/{database_id}/{file}.csv without its query",
  ),
  "url.malformed": refusal<{ readonly parameter: string; readonly expected: string }>(
    "The URL of a download has a malformed parameter.",
    ({ parameter, expected }) => `download from the URL as it was returned: ${parameter} ${expected}`,
    "Download from the presigned URL as it was returned.",
    "GET /reports/{database_id}/{file}.csv with another date in its query",
  ),
  "url.expired": refusal<{ readonly seconds: number }>(
    "The URL of a download has expired.",
    ({ seconds }) => `request the report again: the URL expired ${seconds} s ago`,
    "Request the report again.",
    "GET /reports/{database_id}/{file}.csv, after the URL expired",
  ),
  "report.unknown": refusal<{ readonly file: string }>(
    "No such report was requested.",
    ({ file }) => `request the report first: no report ${file} was requested for that database`,
    "Request the report first, and download it from the URL that is returned.",
    "GET /reports/{database_id}/{file}.csv of a report that was not requested",
  ),
  "report.processing": remark<{ readonly seconds: number }>(
    "The report is not ready yet.",
    ({ seconds }) =>
      `ask again later, or advance the clock: the report is ready ${seconds} s after it was requested`,
    "Ask again later: in a test, advance the clock or call `finishProcessing()`.",
    "GET /reports/{database_id}/{file}.csv, right after it was requested",
  ),
};

export const usedUp = ({
  limit,
  requests,
  seconds,
  isAligned,
}: {
  readonly limit: string;
  readonly requests: number;
  readonly seconds: number;
  readonly isAligned: boolean;
}): string =>
  `${limit} allows ${requests} requests in ${seconds} s${isAligned ? ", aligned to the clock" : ""}, and all are used`;

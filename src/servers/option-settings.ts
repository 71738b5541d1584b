import { PROFILE_NAMES } from "../emulator/profiles.ts";
import { parseBaseUrl } from "../schema/base-url.ts";
import {
  countFromOneIn,
  countIn,
  flagIn as flag,
  secondsIn as seconds,
  textReadBy,
} from "../schema/kernel/environment.ts";
import { oneOf, text } from "../schema/kernel/values.ts";
import { withoutUndefined } from "../schema/without-undefined.ts";
import { MATCHER_NAMES, RATER_NAMES, type ServerOptions } from "./server-options.ts";
import type { SettingsReader } from "./settings-reader.ts";

export const ROLES = ["target-manager", "target-api", "query"] as const;
export type Role = (typeof ROLES)[number];

export const baseUrl = textReadBy(
  "an http or https URL with its scheme and without query, such as http://target-manager:5000",
  (given) => parseBaseUrl("", given),
);

/** Every process has a cache; servers in one process share it. */
const cacheOptions = (reader: SettingsReader) => ({
  imageCacheBytes: reader.read("IMAGE_CACHE_BYTES", countIn, "memory for prepared images", 256 * 2 ** 20),
});

const commonOptions = (reader: SettingsReader) => ({
  ...cacheOptions(reader),
  profile: reader.read(
    "SERVICE_PROFILE",
    oneOf(...PROFILE_NAMES),
    "behaviour: the emulator's specification, or that observed of the real service",
    "neutral",
  ),
  queryContentEncoding: reader.read(
    "QUERY_CONTENT_ENCODING",
    oneOf("gzip", "identity"),
    "content encoding of query responses",
    "gzip",
  ),
  responseDelaySeconds: reader.read(
    "RESPONSE_DELAY_SECONDS",
    seconds,
    "wait before every response except the target manager's",
    0,
  ),
});

/** Reads the options of each server. */
export const OPTIONS_OF: Readonly<Record<Role, (reader: SettingsReader) => ServerOptions>> = {
  "target-manager": (reader) =>
    withoutUndefined({
      ...cacheOptions(reader),
      targetRater: reader.read("TARGET_RATER", oneOf(...RATER_NAMES), "rates added images", "brisque"),
      journalCapacity: reader.read(
        "JOURNAL_CAPACITY",
        countFromOneIn,
        "maximum number of requests in the journal",
        1000,
      ),
      journalBodyBytes: reader.read(
        "JOURNAL_BODY_BYTES",
        countIn,
        "memory for the bodies in the journal",
        16 * 2 ** 20,
      ),
    }),
  query: (reader) =>
    withoutUndefined({
      ...commonOptions(reader),
      queryMatcher: reader.read(
        "QUERY_IMAGE_MATCHER",
        oneOf(...MATCHER_NAMES),
        "decides which targets a query finds",
        "structural_similarity",
      ),
    }),
  "target-api": (reader) =>
    withoutUndefined({
      ...commonOptions(reader),
      duplicatesMatcher: reader.read(
        "DUPLICATES_IMAGE_MATCHER",
        oneOf(...MATCHER_NAMES),
        "decides which targets are duplicates",
        "structural_similarity",
      ),
      processingTimeSeconds: reader.read(
        "PROCESSING_TIME_SECONDS",
        seconds,
        "processing time of targets, reports and datasets",
        2,
      ),
      modelTargetTrainingAllowanceExceeded: reader.read(
        "MODEL_TARGET_TRAINING_ALLOWANCE_EXCEEDED",
        flag,
        "creating a dataset fails",
        "false",
      ),
      serviceBaseUrl: reader.read(
        "SERVICE_BASE_URL",
        baseUrl,
        "base URL of report downloads",
        "serve: the target API's URL; alone: https://vws.vuforia.com",
      )?.href,
      modelTargetClient: {
        id: reader.readOr(
          "MODEL_TARGET_CLIENT_ID",
          text,
          "user name of the fixed OAuth 2.0 client",
          "client-id",
        ),
        secret: reader.readOr("MODEL_TARGET_CLIENT_SECRET", text, "password of that client", "client-secret"),
      },
      modelTargetUser: {
        name: reader.readOr(
          "MODEL_TARGET_USERNAME",
          text,
          "user name of the fixed user of the password grant",
          "user@example.com",
        ),
        password: reader.readOr("MODEL_TARGET_PASSWORD", text, "password of that user", "password"),
      },
    }),
};

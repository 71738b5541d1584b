import type { Cause } from "mock-cloud-reco";
import type { Sent, Situation } from "../protocol/mistakes/mistakes.ts";
import { CLIENTS } from "./inputs-clients.ts";
import { DATES } from "./inputs-dates.ts";
import { ENCODINGS } from "./inputs-encodings.ts";
import { FORMS } from "./inputs-forms.ts";
import { HEADERS } from "./inputs-headers.ts";
import { IDS } from "./inputs-ids.ts";
import { JSON_BODIES } from "./inputs-json.ts";
import { OAUTH } from "./inputs-oauth.ts";
import { PATHS } from "./inputs-paths.ts";
import { PICTURES_AS_TEXT } from "./inputs-picture-texts.ts";
import { PICTURES, QUERIED_PICTURES } from "./inputs-pictures.ts";
import { SIGNATURES } from "./inputs-signatures.ts";

/**
 * What people bring: what a client does, the request that it sends last, the code that the journal must have for it, and facts of
 * that code. The request may follow others.
 */
export type Input = readonly [
  what: string,
  make: (situation: Situation) => Sent | Promise<Sent>,
  code: Cause["code"],
  facts?: object,
];

/** One file of data for each kind of mistake. Each kind has at least 8 inputs. */
export const INPUTS: Readonly<Record<string, readonly Input[]>> = {
  headers: HEADERS,
  signatures: SIGNATURES,
  dates: DATES,
  "JSON bodies": JSON_BODIES,
  forms: FORMS,
  paths: PATHS,
  "ids and keys": IDS,
  pictures: PICTURES,
  "pictures of queries": QUERIED_PICTURES,
  "pictures as text": PICTURES_AS_TEXT,
  "OAuth 2.0": OAUTH,
  encodings: ENCODINGS,
  "clients, proxies and templates": CLIENTS,
};

/** Codes that only say that nothing is known. */
export const FALLBACKS: ReadonlySet<Cause["code"]> = new Set<Cause["code"]>([
  "signature.unexplained",
  "json.malformed",
  "base64.malformed",
  "image.unknown",
  "image.missing",
  "boundary.absent",
]);

import * as z from "zod/mini";
import { databaseRecord } from "../../schema/database.ts";
import { record } from "../../schema/kernel/record.ts";
import { anyText, flag, kind, listOf, oneOf, wholeNumber } from "../../schema/kernel/values.ts";
import { isOperation, type Operation, SERVICES } from "../../schema/protocol.ts";
import { snapshot } from "../../schema/snapshot.ts";
import { SUMMARY_KINDS } from "../../schema/target.ts";
import type { FaultQuestion, FoundRecords, RecordsKey, Version } from "../backing.ts";
import { clockSetting, conflict, rateRule, storedChange, storedImage } from "../codec.ts";

/*
 * The protocol between the servers and the target manager: each method of `StateCalls` is `POST /internal/{method}`. The body
 * is the packed arguments; that of the response is the packed result, with the clock setting, whether there are faults, and
 * the journal's era. Each request needs these, and most read their database anyway, so that they rarely cost another round
 * trip. 400: the body says in a line of text what is wrong with the request.
 *
 * A request whose connection breaks is sent again. Each change has an id by which the manager knows whether it was made.
 */

export const INTERNAL_PREFIX = "/internal/";

/**
 * Header in which servers identify themselves to each other: role and instance, such as `query 3f2a…`. A server that is not a
 * target manager refuses requests with it instead of forwarding them. This prevents endless forwarding when a server's manager
 * is another server, or the server itself.
 */
export const SERVER_HEADER = "Mock-Cloud-Reco-Server";

/** Header that names a change, so that the manager makes it once, however often it arrives. */
export const CHANGE_HEADER = "Change-Id";
/** Header of a change that is sent again: the run of the manager that may have made it already. */
export const RUN_HEADER = "Only-Run";

const bytes = z.custom<Buffer>(Buffer.isBuffer);
/** The fault in JSON, and where a program added it. */
const chosenFault = z.lazy(() =>
  record<{ readonly fault: unknown; readonly addedAt?: string | undefined }>({
    fault: z.unknown(),
    addedAt: z.optional(anyText),
  }),
);
const noArguments = z.tuple([]);
const nothing = z.void();
const version = z.lazy(() => record<Version>({ scope: anyText, version: wholeNumber }));
const changes = z.lazy(() => atMost(1000, "changes", listOf(storedChange)));
const recordsKey: z.ZodMiniType<RecordsKey> = z.lazy(() =>
  z.tuple([
    oneOf("databaseId", "databaseName", "serverAccessKey", "clientAccessKey", "scope", "global"),
    anyText,
  ]),
);
const found = z.lazy(() =>
  record<FoundRecords>({
    scope: anyText,
    version: wholeNumber,
    since: z.optional(wholeNumber),
    changes: listOf(storedChange),
  }),
);
const faultQuestion = z.lazy(() =>
  record<FaultQuestion>({
    api: oneOf(...SERVICES),
    operation: z.optional(z.custom<Operation>(isOperation)),
    database: z.optional(anyText),
  }),
);

const change = <Takes, Returns>(
  takes: z.ZodMiniType<Takes>,
  returns: z.ZodMiniType<Returns>,
  reads = false,
) => ({ takes, returns, reads });
/** Changes nothing, so that nothing has to be remembered of it. */
const query = <Takes, Returns>(takes: z.ZodMiniType<Takes>, returns: z.ZodMiniType<Returns>) =>
  change(takes, returns, true);

/** What a target manager does for other servers: what each call takes and returns. */
export const CALLS = {
  read: query(
    z.tuple([recordsKey, z.optional(version)]),
    z.union([z.literal("unchanged"), z.undefined(), found]),
  ),
  list: query(noArguments, listOf(version)),
  create: change(z.tuple([databaseRecord]), z.optional(conflict)),
  commit: change(z.tuple([version, changes]), z.union([wholeNumber, oneOf("stale", "gone", "missingImage")])),
  takeRateToken: change(z.tuple([anyText, listOf(rateRule), z.number()]), z.optional(rateRule)),
  putImage: change(z.tuple([bytes]), storedImage),
  getImage: query(z.tuple([anyText]), bytes),
  getSummaries: query(z.tuple([oneOf(...SUMMARY_KINDS), listOf(anyText)]), listOf(z.optional(bytes))),
  reset: change(noArguments, nothing),
  snapshot: query(noArguments, snapshot),
  restore: change(z.tuple([z.unknown()]), z.optional(anyText)),
  readClock: query(noArguments, nothing),
  /** Returns the fault itself. */
  chooseFault: change(z.tuple([faultQuestion]), z.optional(chosenFault)),
  putJournal: change(z.tuple([bytes, anyText]), nothing),
};

/** The calls as methods: those of `SharedState`, but for what only the own process knows. */
export type StateCalls = {
  readonly [Name in keyof typeof CALLS]: (
    ...given: z.output<(typeof CALLS)[Name]["takes"]>
  ) => Promise<z.output<(typeof CALLS)[Name]["returns"]>>;
};

/** What every response is: the result, the clock setting, whether there are faults, and the journal's era. */
export const answerParts = z.lazy(() => z.tuple([z.unknown(), clockSetting, flag, anyText]));

/** A list whose length is checked before its items are read. */
const atMost = <T>(
  most: number,
  what: string,
  list: z.ZodMiniType<readonly T[]>,
): z.ZodMiniType<readonly T[]> =>
  z.pipe(
    kind(
      `at most ${most} ${what}`,
      z.custom<unknown>((value) => !Array.isArray(value) || value.length <= most),
    ),
    list,
  ) as z.ZodMiniType<unknown> as z.ZodMiniType<readonly T[]>;

import * as z from "zod/mini";
import { databaseRecord } from "../../schema/database.ts";
import { record } from "../../schema/kernel/record.ts";
import { anyText, flag, kind, listOf, oneOf, wholeNumber } from "../../schema/kernel/values.ts";
import { isOperation, type Operation, SERVICES } from "../../schema/protocol.ts";
import { snapshot } from "../../schema/snapshot.ts";
import { SUMMARY_KINDS } from "../../schema/target.ts";
import type { Backing, FaultQuestion, FoundRecords, SharedState, Version } from "../backing.ts";
import { clockSetting, conflict, rateRule, type StoredImage, storedChange, storedImage } from "../codec.ts";

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

/** What a target manager does for other servers. */
export interface StateCalls
  extends Required<Omit<Backing, "restore" | "putImage">>,
    Pick<SharedState, "readClock" | "putJournal"> {
  /** As `Backing.putImage`. */
  putImage(bytes: Buffer): Promise<StoredImage>;
  /** As `Backing.restore`. */
  restore(snapshot: unknown): Promise<string | undefined>;
  /** As `SharedState.chooseFault`, but returns the fault itself. */
  chooseFault(question: FaultQuestion): Promise<ChosenFault | undefined>;
}

/** A fault in JSON, and where a program added it. */
interface ChosenFault {
  readonly fault: unknown;
  readonly addedAt?: string | undefined;
}

interface Call<Takes, Returns> {
  readonly takes: z.ZodMiniType<Takes>;
  readonly returns: z.ZodMiniType<Returns>;
  /** It changes nothing, so that nothing has to be remembered of it. */
  readonly reads?: true;
}
type Calls = {
  readonly [Name in keyof StateCalls]: Call<
    Parameters<StateCalls[Name]>,
    Awaited<ReturnType<StateCalls[Name]>>
  >;
};

const bytes = z.custom<Buffer>(Buffer.isBuffer);
const chosenFault = z.lazy(() => record<ChosenFault>({ fault: z.unknown(), addedAt: z.optional(anyText) }));
const noArguments = z.tuple([]);
const nothing = z.undefined();
const version = z.lazy(() => record<Version>({ scope: anyText, version: wholeNumber }));
const changes = z.lazy(() => atMost(1000, "changes", listOf(storedChange)));
const recordsKey = z.lazy(() =>
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

/** Every method of {@link StateCalls}: what it takes and returns. */
export const CALLS: Calls = {
  read: {
    takes: z.tuple([recordsKey, z.optional(version)]),
    returns: z.union([z.literal("unchanged"), nothing, found]),
    reads: true,
  },
  list: { takes: noArguments, returns: listOf(version), reads: true },
  create: { takes: z.tuple([databaseRecord]), returns: z.optional(conflict) },
  commit: {
    takes: z.tuple([version, changes]),
    returns: z.union([wholeNumber, oneOf("stale", "gone", "missingImage")]),
  },
  takeRateToken: {
    takes: z.tuple([anyText, listOf(rateRule), z.number()]),
    returns: z.optional(rateRule),
  },
  putImage: { takes: z.tuple([bytes]), returns: storedImage },
  getImage: { takes: z.tuple([anyText]), returns: bytes, reads: true },
  getSummaries: {
    takes: z.tuple([oneOf(...SUMMARY_KINDS), listOf(anyText)]),
    returns: listOf(z.optional(bytes)),
    reads: true,
  },
  getRatings: {
    takes: z.tuple([listOf(anyText)]),
    returns: listOf(z.optional(wholeNumber)),
    reads: true,
  },
  reset: { takes: noArguments, returns: nothing },
  snapshot: { takes: noArguments, returns: snapshot, reads: true },
  restore: { takes: z.tuple([z.unknown()]), returns: z.optional(anyText) },
  readClock: { takes: noArguments, returns: nothing, reads: true },
  chooseFault: { takes: z.tuple([faultQuestion]), returns: z.optional(chosenFault) },
  putJournal: { takes: z.tuple([bytes, anyText]), returns: nothing },
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

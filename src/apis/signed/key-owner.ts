import type { MaybePromise } from "../../emulator/message.ts";
import { namedAccessKey } from "../../emulator/signing.ts";
import type { CloudDatabase } from "../../schema/cloud-database.ts";
import type { Database } from "../../schema/database.ts";
import type { Services } from "../services.ts";

/** The database whose server access key an `Authorization` names. */
export function ownerOfServerKey(
  authorization: string | undefined,
  { store }: Pick<Services, "store">,
): MaybePromise<Database | undefined> {
  const accessKey = namedAccessKey(authorization);
  return accessKey === undefined ? undefined : store.findDatabaseByServerAccessKey(accessKey);
}

/** The database whose client access key an `Authorization` names. */
export function ownerOfClientKey(
  authorization: string | undefined,
  { store }: Pick<Services, "store">,
): MaybePromise<CloudDatabase | undefined> {
  const accessKey = namedAccessKey(authorization);
  return accessKey === undefined ? undefined : store.findDatabaseByClientAccessKey(accessKey);
}

import { formerKeyOwner } from "../../emulator/former-keys.ts";
import { show, showUnknownKey } from "../../emulator/text.ts";
import type { ApiContext } from "../services.ts";

const RULE = "server keys sign target API requests, client keys sign queries";

/** How many databases are searched for a misplaced secret key or target. */
const MOST_DATABASES = 100;

/** Why a request's access key is unknown to its API. */
export async function unknownKeyReason(
  { services: { store } }: ApiContext,
  key: string | undefined,
  wanted: "server" | "client",
): Promise<string> {
  if (key === undefined) return `no database has the ${wanted} access key ${showUnknownKey(key)}; ${RULE}`;
  const owner =
    wanted === "server"
      ? await store.findDatabaseByClientAccessKey(key)
      : await store.findDatabaseByServerAccessKey(key);
  if (owner !== undefined) {
    const other = wanted === "server" ? "client" : "server";
    return `the access key ${show(key)} is the ${other} access key of the database ${show(owner.databaseName)}; ${RULE}`;
  }
  const databases = (await store.listCloudDatabases()).slice(-MOST_DATABASES);
  const swapped = databases.find(
    ({ serverSecretKey, clientSecretKey }) => key === serverSecretKey || key === clientSecretKey,
  );
  if (swapped !== undefined) {
    return (
      `a secret key of the database ${show(swapped.databaseName)} was sent as the access key: are the two swapped? ` +
      "the access key is sent, the secret key only signs"
    );
  }
  const former = formerKeyOwner(key);
  if (former !== undefined) {
    return (
      `the access key ${showUnknownKey(key)} belongs to the database ${show(former)} of a mock that has stopped: is this a request ` +
      "left over from an earlier test, or a client created in one? Await all requests, and create the client in each test"
    );
  }
  const template = (await store.listVuMarkDatabases()).find(({ serverAccessKey }) => serverAccessKey === key);
  if (template !== undefined) {
    return `the server access key ${show(key)} belongs to the VuMark database ${show(template.databaseName)}, whose keys this API does not accept`;
  }
  return `no database has the ${wanted} access key ${showUnknownKey(key)}; ${RULE}`;
}

/** Names another database that has the target, to complete the reason that this one does not. */
export async function whereTargetIs(
  { services: { store } }: ApiContext,
  databaseName: string,
  id: string,
): Promise<string> {
  const databases = (await store.listCloudDatabases()).slice(-MOST_DATABASES);
  for (const other of databases) {
    if (other.databaseName === databaseName) continue;
    if ((await store.findTarget(other.databaseName, id)) === undefined) continue;
    return `; the database ${show(other.databaseName)} has it: sign with the keys of the database that the target was added to`;
  }
  return "";
}

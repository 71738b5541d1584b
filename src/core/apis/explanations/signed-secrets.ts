import { createHash } from "node:crypto";
import type { SigningKeys } from "../../emulator/signing.ts";
import { TEXTS_OF_NOTHING } from "../../general/text.ts";
import { type AnyCause, cause } from "../../schema/causes/causes.ts";
import type { KeyAlteration } from "../../schema/causes/signed-words.ts";
import * as reads from "../../store/reads.ts";
import type { ApiContext } from "../services.ts";

const MOST_OTHER_DATABASES = 100;

/** What a client may have signed with. */
export interface Secret {
  readonly key: string | Buffer;
  readonly mistake?: AnyCause | undefined;
}

/** Wrong secrets that a client may have signed with, and wrong spellings of the right one. */
export function mistakenFor(
  { accessKey, secretKey }: SigningKeys,
  otherSecrets: Readonly<Record<string, string>>,
): readonly Secret[] {
  const around = [`${secretKey}\n`, ` ${secretKey}`, `${secretKey} `, `${secretKey}\r`, `${secretKey}\r\n`];
  return [
    ...Object.entries({ ...otherSecrets, "access key": accessKey }).map(([name, key]) => ({
      key,
      mistake: cause("signature.other-key", { key: name }),
    })),
    ...around.map((key) => ({ key, mistake: cause("signature.key-space") })),
    ...[`"${secretKey}"`, `'${secretKey}'`].map((key) => ({ key, mistake: cause("signature.key-quoted") })),
    { key: Buffer.from(secretKey, "utf16le"), mistake: cause("signature.utf16", { is: "key" }) },
    ...[secretKey.toUpperCase(), secretKey.toLowerCase()].map((key) => ({
      key,
      mistake: cause("signature.key-case"),
    })),
    ...(["hex", "base64"] as const).map((encoding) => ({
      key: Buffer.from(secretKey, encoding),
      mistake: cause("signature.key-decoded", {
        encoding: encoding === "hex" ? "hexadecimal" : encoding,
      }),
    })),
  ].filter(({ key }) => key !== secretKey && key.length > 0);
}

/** The right secret with what was added to it or cut off. */
export function alteredSecrets({ accessKey, secretKey }: SigningKeys): readonly Secret[] {
  const hashed = ["md5", "sha1", "sha256"].map((name) => createHash(name).update(secretKey).digest("hex"));
  const altered: Readonly<Record<KeyAlteration, readonly string[]>> = {
    cut: [secretKey.slice(0, -1), secretKey.slice(1)],
    twice: [secretKey + secretKey],
    hashed,
    encoded: [Buffer.from(secretKey).toString("base64"), Buffer.from(secretKey).toString("hex")],
    oauth: [`${secretKey}&`, `&${secretKey}`],
    prefixed: ["VWS", "AWS4", "Bearer ", "VWS "].map((prefix) => prefix + secretKey),
    mark: [`\ufeff${secretKey}`],
    pair: [`${accessKey}:${secretKey}`, accessKey + secretKey],
  };
  return Object.entries(altered).flatMap(([is, keys]) =>
    keys.map((key) => ({ key, mistake: cause("signature.key-altered", { is: is as KeyAlteration }) })),
  );
}

/** Clients without a secret sign with these. */
export const MISSING_SECRETS: readonly Secret[] = TEXTS_OF_NOTHING.map((key) => ({
  key,
  mistake: cause("signature.key-unset", { text: key }),
}));

/** Databases may have been mixed up. */
export async function secretsOfOthers(
  { services }: ApiContext,
  { databaseName }: { readonly databaseName: string },
): Promise<readonly Secret[]> {
  const databases = await services.store.read(reads.cloudDatabases);
  const others = databases.filter((other) => other.databaseName !== databaseName);
  return others.slice(-MOST_OTHER_DATABASES).flatMap((other) =>
    (["server", "client"] as const).map((role) => ({
      key: other[`${role}SecretKey`],
      mistake: cause("signature.other-key", {
        key: `${role} secret key`,
        database: JSON.stringify(databaseName),
        other: JSON.stringify(other.databaseName),
      }),
    })),
  );
}

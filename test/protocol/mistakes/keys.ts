import { listing, type Mistake, searching } from "./mistakes.ts";

/** Keys that clients sign with, but should not. */
export const KEYS: readonly Mistake[] = [
  [
    "a secret with a line feed",
    (s) => ({ ...listing(s), secretKey: `${s.keys.serverSecretKey}\n` }),
    "has white space around it",
    "trim the secret key",
  ],
  [
    "a secret in quotation marks",
    (s) => ({ ...listing(s), secretKey: `"${s.keys.serverSecretKey}"` }),
    "remove the quotation marks around the secret key",
    "it signed with them",
  ],
  [
    "access and secret key swapped",
    (s) => ({ ...listing(s), accessKey: s.keys.serverSecretKey, secretKey: s.keys.serverAccessKey }),
    "swap the two keys",
    "the access key is sent, and the secret key only signs",
  ],
  [
    "client keys for the target API",
    (s) => ({ ...listing(s), accessKey: s.keys.clientAccessKey, secretKey: s.keys.clientSecretKey }),
    "is the client access key",
    "server keys sign target API requests",
  ],
  [
    "server keys for a query",
    (s) => ({ ...searching(s), accessKey: s.keys.serverAccessKey, secretKey: s.keys.serverSecretKey }),
    "is the server access key",
    "client keys sign queries",
  ],
  [
    "the client's secret with the server's access key",
    (s) => ({ ...listing(s), secretKey: s.keys.clientSecretKey }),
    "made with the database's client secret key",
    "sign with the secret key that belongs to the access key",
  ],
  [
    "keys of two databases mixed",
    (s) => ({ ...listing(s), secretKey: s.other.serverSecretKey }),
    "server secret key of another database",
    "take both keys from the same database",
  ],
  [
    "an unknown access key",
    (s) => ({ ...listing(s), accessKey: "of-the-real-service" }),
    'send the server access key of a database: none has "of-t…"',
    "server keys sign target API requests",
  ],
  [
    "an access key of one character",
    (s) => ({ ...listing(s), accessKey: "x" }),
    '"…" (1 character); server keys',
    "server keys sign target API requests",
  ],
  [
    "a key in another letter case",
    (s) => ({ ...listing(s), accessKey: s.keys.serverAccessKey.toUpperCase() }),
    "in a different case",
    "send the access key unchanged",
  ],
  ...["undefined", "null"].map(
    (text): Mistake => [
      `${text} as the access key`,
      (s) => ({ ...listing(s), accessKey: text }),
      `it is the text "${text}"`,
      "check the variable that holds the access key",
    ],
  ),
  ...["undefined", "null", "[object Promise]"].map(
    (text): Mistake => [
      `${text} as the secret key`,
      (s) => ({ ...listing(s), secretKey: text }),
      `it is the text "${text}"`,
      text.startsWith("[") ? "await the secret key first" : "check the variable that holds the secret key",
    ],
  ),
  [
    "an empty secret key",
    (s) => ({ ...searching(s), secretKey: "" }),
    "it is empty",
    "check the variable that holds the secret key",
  ],
  [
    "a Promise as the access key",
    (s) => ({ ...listing(s), accessKey: "[object Promise]" }),
    'it contains the text "[object Promise]"',
    "which was not awaited",
  ],
  [
    "the secret key is decoded from hexadecimal",
    (s) => ({ ...listing(s), secretKey: Buffer.from(s.keys.serverSecretKey, "hex") }),
    "it was decoded from hexadecimal",
    "sign with the secret key's characters as they are",
  ],
  [
    "an access key with a blank behind it",
    (s) => ({ ...listing(s), accessKey: `${s.keys.serverAccessKey} ` }),
    "white space around the access key",
    "trim it",
  ],
];

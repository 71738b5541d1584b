const SEED = '{"cloud_databases": [{"database_name": "Käfer", "server_secret_key": "hunter2"}]}';
const KEYS = "VUFORIA_SERVER_ACCESS_KEY=my-key\nVUFORIA_SERVER_SECRET_KEY=hunter2\n";
const MARK = "\ufeff";

/** What a command gets as FILE: its bytes, a folder, or nothing at that path. */
export type Content = string | Buffer | "folder" | "none";

/** What people give to a command: the file, the arguments, and a part of what it prints; the exit code is 2, or 0 if it reads the file. */
export type FileInput = readonly [what: string, args: string, content: Content, said: string, code?: number];

const seed = (what: string, content: Content, said: string): FileInput => [
  `a seed ${what}`,
  "exec --seed FILE -- true",
  content,
  said,
];
const state = (what: string, content: Content, said: string): FileInput => [
  `a state ${what}`,
  "exec --state FILE -- true",
  content,
  said,
];
const SIGN = "sign GET /summary --keys FILE";
const BODY = "sign POST /targets --body FILE";
const SERVE_TLS = "serve --tls-cert-file FILE";
const keys = (what: string, content: Content, said: string): FileInput => [
  `keys ${what}`,
  SIGN,
  content,
  said,
];
const read = (what: string, args: string, content: Content, said: string): FileInput => [
  what,
  args,
  content,
  said,
  0,
];

/** Seed, state, key, body and env files. */
export const FILES: readonly FileInput[] = [
  read("a seed in UTF-16", "exec --seed FILE -- true", Buffer.from(MARK + SEED, "utf16le"), ""),
  read("a seed behind a byte-order mark", "exec --seed FILE -- true", MARK + SEED, ""),
  seed(
    "in UTF-16 without a mark",
    Buffer.from(SEED, "utf16le"),
    "it is UTF-16 without a byte-order mark: save it as UTF-8",
  ),
  seed(
    "in Latin-1",
    Buffer.from(SEED, "latin1"),
    "perhaps Windows-1252: the byte e4 at line 1, column 42; save it as UTF-8",
  ),
  seed("that is empty", "", "the file is empty"),
  seed(
    "with a trailing comma",
    '{\n  "cloud_databases": [],\n}',
    "line 3, column 1: remove the comma before it",
  ),
  seed("with a comment", "{\n  // mine\n}", "line 2, column 3: remove the comment"),
  seed("that is a state", '{"version": 2, "databases": []}', "give it as --state FILE"),
  seed("that is a folder", "folder", "it is a folder; name a file"),
  seed("that is missing", "none", "given: cannot be read: there is no such file (ENOENT)"),
  seed("that is YAML", "cloud_databases:\n  - database_name: a\n", "line 1, column 1: write JSON, not YAML"),
  seed("that is a list", "[]", "expected an object; got an array"),
  read("a state that is empty", "exec --state FILE -- true", "", ""),
  state("that is a seed", SEED, "give it as --seed FILE"),
  state(
    "in Latin-1",
    Buffer.from('{"version": 2, "x": "ä"}', "latin1"),
    "the byte e4 at line 1, column 22; save it as UTF-8",
  ),
  state("that is cut", '{"version": 2,', "it ends too early, at line 1, column 15"),
  state("that is a folder", "folder", "it is a folder; name another file"),
  read("keys in UTF-16", SIGN, Buffer.from(MARK + KEYS, "utf16le"), "VWS my-key:"),
  read("keys in big-endian UTF-16", SIGN, Buffer.from(MARK + KEYS, "utf16le").swap16(), "VWS my-key:"),
  read("keys behind a byte-order mark", SIGN, MARK + KEYS, "VWS my-key:"),
  read("keys with line ends of Windows", SIGN, KEYS.replaceAll("\n", "\r\n"), "VWS my-key:"),
  keys("in UTF-16 without a mark", Buffer.from(KEYS, "utf16le"), "it is UTF-16 without a byte-order mark"),
  keys("in Latin-1", Buffer.from(`# für mich\n${KEYS}`, "latin1"), "the byte fc at line 1, column 4"),
  keys("that are empty", "", "it has no lines NAME=value"),
  keys("without the secret", "VUFORIA_SERVER_ACCESS_KEY=my-key\n", "VUFORIA_SERVER_SECRET_KEY is not set"),
  keys("that are JSON", '{"VUFORIA_SERVER_ACCESS_KEY":"a"}', "it has no lines NAME=value"),
  keys("that are a folder", "folder", 'given" cannot be read: it is a folder; name a file (EISDIR)'),
  keys("that are missing", "none", 'given" cannot be read: there is no such file (ENOENT)'),
  ["a body that is missing", BODY, "none", 'given" cannot be read: there is no such file (ENOENT)'],
  ["a body that is a folder", BODY, "folder", 'given" cannot be read: it is a folder; name a file (EISDIR)'],
  ["a body in a file", "sign POST /targets --body FILE/x", "", "a part of its path is a file, not a folder"],
  read(
    "a body that is UTF-16",
    BODY,
    Buffer.from(`${MARK}{}`, "utf16le"),
    "begins with a byte-order mark (utf-16le), which is signed, too",
  ),
  ["an env file that is a folder", "serve --env FILE", "folder", "it is a folder; name a file (EISDIR)"],
  ["an env file in no folder", "serve --env FILE/x", "none", "its folder does not exist (ENOENT)"],
  ["a picture in no folder", "picture 1 --output FILE/x", "none", "its folder does not exist (ENOENT)"],
  ["a picture that is a folder", "picture 1 --output FILE", "folder", "it is a folder; name a file (EISDIR)"],
  [
    "a certificate in no folder",
    "serve --tls-generate --tls-ca FILE/x",
    "none",
    "its folder does not exist (ENOENT)",
  ],
  ["a state in no folder", "serve --state FILE/x", "none", "its folder does not exist (ENOENT)"],
  ["a state in a file", "serve --state FILE/x", "", "is not a folder"],
  [
    "a certificate that is missing",
    `${SERVE_TLS} --tls-key-file FILE`,
    "none",
    "--tls-cert-file: expected the path",
  ],
];

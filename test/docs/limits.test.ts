import { readdirSync, readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const CORE = ["apis", "emulator", "general", "http", "images", "schema"].map((room) => `core/${room}`);
const FOLDERS = [...CORE, "recognition"];

/** Limits in the code that answers requests, by `file NAME`: constants whose name says that they are the most of something. */
const LIMITS = new Map<string, number>();
for (const folder of FOLDERS) {
  const files = readdirSync(new URL(`src/${folder}`, root), { recursive: true, encoding: "utf8" });
  for (const file of files.filter((name) => name.endsWith(".ts"))) {
    const source = readFileSync(new URL(`src/${folder}/${file}`, root), "utf8");
    for (const [, name, value = ""] of source.matchAll(
      /^(?:export )?const ((?:MOST|MAX|LONGEST|LARGEST)_\w+)(?:: number)? = ([\d_.e* -]+);$/gm,
    ))
      LIMITS.set(`${file.replace(/^.*\//, "")} ${name}`, Number(runInNewContext(value)));
  }
}

const [, table = ""] = readFileSync(new URL("examples/server-settings/README.md", root), "utf8").split(
  "## Limits\n",
);
const rows = table.split("\n").filter((line) => line.startsWith("| "));

const inKib = (bytes: number): string => `${bytes / 2 ** 10} KiB`;
const inMib = (bytes: number): string => `${bytes / 2 ** 20} MiB`;
const inKb = (bytes: number): string => `${bytes >> 10} kB`;
const plain = (count: number): string => `${count}`;
const withComma = (count: number): string => count.toLocaleString("en-US");

/** What the guide's table has of each limit: its number, and words of the row. */
const LISTED: Readonly<Record<string, readonly [text: (value: number) => string, words: string]>> = {
  "json.ts MOST_STRUCTURE": [inMib, "in a body of JSON"],
  "json.ts MOST_LEVELS": [plain, "levels"],
  "json.ts LONGEST_SEARCHED": [inKib, "in malformed JSON"],
  "dataset-validation.ts MOST_CONFIGURATION": [inMib, "stateBasedConfigurationJsonString"],
  "datasets.ts MOST_DETAILS": [plain, "findings"],
  "values.ts MOST_PROBLEMS": [plain, "errors in a refusal"],
  "multipart.ts MOST_PARTS": [plain, "parts in a form"],
  "multipart.ts MOST_HEADER_BYTES": [inKib, "in the headers of a part"],
  "checks.ts LONGEST_INSTANCE_ID": [withComma, "characters in `instance_id`"],
  "instances.ts MOST_LINES": [plain, "lines of it"],
  "body-content.ts MOST_MASKED_BYTES": [inMib, "in a body that the journal prints"],
  "protocol.ts MAX_PNG_ROWS": [withComma, "rows in a PNG"],
  "form-checks.ts MOST_FIELD_BYTES": [inKib, "`max_num_results`"],
  "text.ts LONGEST_RECORDED": [inKb, "in a path"],
  "recorded-message.ts MOST_CHARACTERS": [inKb, "in all headers"],
  "token.ts MOST_FORM_BYTES": [inKib, "token request"],
  "fault-response.ts MAX_BODY_BYTES": [inMib, "a fault's response"],
  "protocol.ts LONGEST_HEADER_LINE_BYTES": [plain, "in a header line"],
  "http-server.ts MAX_HEADER_BYTES": [inKib, "in all header lines"],
  "connection.ts MAX_WAITING": [plain, "unanswered requests"],
  "listen.ts MAX_REQUESTS": [withComma, "requests, or"],
};

/** Limits of the emulated services: the tables of checks have them, and tests of the protocol try both sides of each. */
const OF_THE_SERVICE = [
  "checks.ts MAX_NAME_CHARACTERS",
  "checks.ts MAX_SKEW_MS",
  "dataset-request.ts MOST_MODELS",
  "form-checks.ts LARGEST_INTEGER",
  "form-checks.ts MOST_IMAGE_BYTES",
  "form-checks.ts MOST_RESULTS",
  "framing.ts MAX_SKEW_MS",
  "inspect.ts MAX_QUERY_IMAGE_SIDE",
  "model-target.ts MAX_CLIENT_CREDENTIALS",
  "protocol.ts MAX_METADATA_BYTES",
  "protocol.ts MAX_TARGET_IMAGE_BYTES",
  "protocol.ts MAX_TARGET_IMAGE_PIXELS",
  "rating.ts MAX_RATING",
  // Of the target manager, whose errors name them.
  "values.ts MAX_KEY_LENGTH",
  "values.ts MAX_NAME_LENGTH",
  "values.ts MAX_NESTING",
];

/** How much is explained, shown, remembered or done at a time: no response depends on it. */
const NOT_OF_RESPONSES = [
  "bodies.ts MOST_READ",
  "bodies.ts MOST_SEARCHED",
  "body-content.ts LONGEST_FORM",
  "body-content.ts LONGEST_TEXT",
  "body-reader.ts MOST_FIRST_BYTES",
  "clock.ts LONGEST_TIMER",
  "copies.ts MOST_COMPARED",
  "decode.ts MAX_UNSHRUNK_SIDE",
  "extract.ts MOST_CANDIDATES",
  "faults.ts MOST_REMEMBERED",
  "features.ts LONGEST_ROW",
  "framing.ts MOST_COMPARED",
  "instances.ts LARGEST_SCALE",
  "instances.ts MOST_DRAWN",
  "journal-entry.ts MOST_BODY_CHARACTERS",
  "pixels.ts MOST_DENSE",
  "places.ts MOST_SHARED",
  "problems.ts LONGEST_COMPARED",
  "problems.ts LONGEST_SHOWN",
  "problems.ts MOST_UNKNOWN_NAMES",
  "rank.ts LONGEST_SHORTLIST",
  "recorded-body.ts MOST_DECODED_BYTES",
  "router.ts MOST_CHARACTERS",
  "search.ts MAX_CONSIDERED",
  "search.ts MOST_SCORED",
  "shortlist.ts MOST_COPIES",
  "shortlist.ts MOST_NOT_INDEXED",
  "shortlist.ts MOST_POSTINGS",
  "shortlist.ts MOST_SEGMENT",
  "signature.ts MOST_COMPARED",
  "signature.ts MOST_OTHER_DATABASES",
  "signed-variants.ts MOST_DIGESTED_BYTES",
  "signed-variants.ts MOST_SECONDS_APART",
  "text.ts LONGEST_LINE",
  "text.ts LONGEST_QUOTED",
  "text.ts LONGEST_SHOWN",
  "values.ts MOST_DATABASES",
  "values.ts MOST_KEYS",
  "values.ts MOST_MILLISECONDS",
  "values.ts MOST_MOCKS",
  "write-json.ts MOST_AT_ONCE",
];

test("the guide's table of limits has each limit of the code, with its value", () => {
  expect([...LIMITS.keys()].toSorted()).toEqual(
    [...Object.keys(LISTED), ...OF_THE_SERVICE, ...NOT_OF_RESPONSES].toSorted(),
  );
  for (const [limit, [text, words]] of Object.entries(LISTED)) {
    const found = rows.filter((row) => row.includes(words));
    expect(found, limit).toHaveLength(1);
    expect(found[0], limit).toContain(text(LIMITS.get(limit) ?? Number.NaN));
  }
});

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MOST_CONFIGURATION } from "../../src/core/apis/model-target/dataset-states.ts";
import { MOST_DETAILS } from "../../src/core/apis/model-target/datasets.ts";
import { MOST_FORM_BYTES } from "../../src/core/apis/model-target/token.ts";
import { MOST_FIELD_BYTES } from "../../src/core/apis/query/form-checks.ts";
import { LONGEST_INSTANCE_ID } from "../../src/core/apis/vumark/checks.ts";
import { MOST_LINES } from "../../src/core/apis/vumark/instances.ts";
import { MOST_MASKED_BYTES } from "../../src/core/emulator/body-content.ts";
import { MOST_HEADER_BYTES, MOST_PARTS } from "../../src/core/emulator/multipart.ts";
import { MOST_CHARACTERS } from "../../src/core/emulator/recorded-message.ts";
import { LONGEST_SEARCHED, MOST_LEVELS, MOST_STRUCTURE } from "../../src/core/general/json.ts";
import { LONGEST_RECORDED } from "../../src/core/general/text.ts";
import { MAX_WAITING } from "../../src/core/http/connection.ts";
import { MAX_REQUESTS } from "../../src/core/http/listen.ts";
import { MAX_HEADER_BYTES } from "../../src/core/http/node-server.ts";
import { MAX_BODY_BYTES } from "../../src/core/schema/fault-response.ts";
import { LONGEST_HEADER_LINE_BYTES, MAX_PNG_ROWS } from "../../src/core/schema/protocol.ts";
import { MOST_PROBLEMS } from "../../src/core/schema/zod/values.ts";

const guide = readFileSync(new URL("../../examples/server-settings/README.md", import.meta.url), "utf8");
const [, table = ""] = guide.split("## Limits\n");
const rows = table.split("\n").filter((line) => line.startsWith("| "));

const inKib = (bytes: number): string => `${bytes / 2 ** 10} KiB`;
const inMib = (bytes: number): string => `${bytes / 2 ** 20} MiB`;
const inKb = (bytes: number): string => `${bytes >> 10} kB`;
const plain = (count: number): string => `${count}`;
const withComma = (count: number): string => count.toLocaleString("en-US");

/** The limits that a client can meet: how the guide writes each, and words of its row. */
const LIMITS: readonly (readonly [limit: number, text: (value: number) => string, words: string])[] = [
  [MOST_STRUCTURE, inMib, "in a body of JSON"],
  [MOST_LEVELS, plain, "levels"],
  [LONGEST_SEARCHED, inKib, "in malformed JSON"],
  [MOST_CONFIGURATION, inMib, "stateBasedConfigurationJsonString"],
  [MOST_DETAILS, plain, "findings"],
  [MOST_PROBLEMS, plain, "errors in a refusal"],
  [MOST_PARTS, plain, "parts in a form"],
  [MOST_HEADER_BYTES, inKib, "in the headers of a part"],
  [LONGEST_INSTANCE_ID, withComma, "characters in `instance_id`"],
  [MOST_LINES, plain, "lines of it"],
  [MOST_MASKED_BYTES, inMib, "in a body that the journal prints"],
  [MAX_PNG_ROWS, withComma, "rows in a PNG"],
  [MOST_FIELD_BYTES, inKib, "`max_num_results`"],
  [LONGEST_RECORDED, inKb, "in a path"],
  [MOST_CHARACTERS, inKb, "in all headers"],
  [MOST_FORM_BYTES, inKib, "token request"],
  [MAX_BODY_BYTES, inMib, "a fault's response"],
  [LONGEST_HEADER_LINE_BYTES, plain, "in a header line"],
  [MAX_HEADER_BYTES, inKib, "in all header lines"],
  [MAX_WAITING, plain, "unanswered requests"],
  [MAX_REQUESTS, withComma, "requests, or"],
];

test.each(LIMITS)("the guide's table has the limit %i, as the code has it", (limit, text, words) => {
  const found = rows.filter((row) => row.includes(words));
  expect(found, `one row of the guide "Server settings" has the words "${words}"`).toHaveLength(1);
  expect(found[0], "write the limit of the code into the guide, or the reverse").toContain(text(limit));
});

import type { Profile } from "../emulator/profiles.ts";
import type { Expected, Fact, Situation } from "./fact.ts";
import {
  accepting,
  bare,
  dated,
  each,
  eachField,
  field,
  image,
  inState,
  minutesAway,
  ON,
  ofType,
  type Plan,
  pngOfLength,
  QUERY,
  set,
  text,
} from "./query-plan.ts";
import { ASSUMED, DOCUMENTED, factsOf, type Table } from "./row.ts";

const FOUND = text(200, "application/json", '{"result_code":"Success","results":[<any>],"query_id":"<id>"}');

/** The moment's weekday, day, month, year and time, in one of the accepted forms. */
const inForm = (form: string) =>
  dated((now) => {
    const [weekday = "", day = "", month = "", year = "", time = ""] = now
      .toUTCString()
      .replace(",", "")
      .split(" ");
    const parts: Readonly<Record<string, string>> = {
      Sat: weekday,
      "21": day,
      Nov: month,
      "2026": year,
      "10:42:00": time,
    };
    return form.replaceAll(/10:42:00|2026|21|Sat|Nov/g, (part) => parts[part] ?? "");
  });

const SERVED: Table<Plan> = {
  ids: "query accepts",
  rows: {
    served: [
      [ON, "one image", FOUND],
      [ON, "a header line of 8190 bytes", FOUND, set({ headers: { "X-Extra": "x".repeat(8181) } }), ASSUMED],
      [ON, "keys of a suspended database", FOUND, inState("PROJECT_SUSPENDED")],
      [ON, "keys of a database without API access", FOUND, inState("PROJECT_HAS_NO_API_ACCESS")],
      [ON, "an image of 2097152 bytes", FOUND, image(pngOfLength(2_097_152)), DOCUMENTED],
      ...each("Accept", ["application/json", "*/*"], FOUND, accepting),
      ...each(
        "Accept",
        [
          "application/json, text/plain, */*",
          "application/json; charset=utf-8",
          "application/*",
          "Application/Json",
          "text/html;q=0.9, */*;q=0.1",
          "*/*;q=0, application/json",
        ],
        FOUND,
        accepting,
        ASSUMED,
      ),
      ...each(
        "a Date like",
        [
          "Sat, 21 Nov 2026 10:42:00 GMT",
          "Sat 21 Nov 2026 10:42:00",
          "Sat, Nov 21 10:42:00 2026",
          "Sat Nov 21 10:42:00 2026 GMT",
        ],
        FOUND,
        inForm,
      ),
      [ON, "a Date 64 minutes away", FOUND, minutesAway(64)],
      ...each(
        "Content-Type",
        [
          "multipart/form-data; boundary=b0undary; charset=utf-8",
          'multipart/form-data; charset=utf-8; BOUNDARY="b0undary"',
          "Multipart/Form-Data;boundary=b0undary;",
          "multipart/form-data ; boundary = b0undary",
          "multipart/form-data; boundary=b0undary; boundary=other",
        ],
        FOUND,
        ofType,
      ),
      ...eachField("max_num_results", ["1", "50", "+5", "05", " 5 ", "+050"], () => FOUND),
      ...each("include_target_data", ["top", "ALL", "nOne"], FOUND, (content) =>
        field("include_target_data", content),
      ),
    ],
  },
};

/** Found, and gzipped or not. */
const encoded =
  (isGzipped: (profile: Profile) => boolean) =>
  ({ profile }: Situation): Expected => {
    const others = FOUND.headers?.filter(([name]) => name !== "Content-Encoding?") ?? [];
    return { ...FOUND, headers: isGzipped(profile) ? [...others, ["Content-Encoding", "gzip"]] : others };
  };
const GZIPPED = encoded(() => true);
const ALWAYS_GZIPPED = encoded(({ queryEncoding }) => queryEncoding === "always");
const asking = (headers: Plan["headers"]) => set({ headers });

const OTHERS: Table<Plan> = {
  ids: "query",
  rows: {
    served: [
      [ON, "gzip: that accepts gzip is answered with gzip", GZIPPED, asking({ "Accept-Encoding": "gzip" })],
      [
        ON,
        "gzip-not-accepted: that does not accept gzip is answered with gzip all the same, or without, by profile",
        ALWAYS_GZIPPED,
        asking({ "Accept-Encoding": "identity" }),
      ],
      [
        ON,
        "gzip-not-mentioned: without Accept-Encoding is answered with gzip all the same, or without, by profile",
        ALWAYS_GZIPPED,
        ASSUMED,
      ],
      [
        ON,
        "unserved-method: GET /v1/query, which nothing serves, is answered with an empty 404",
        bare(404),
        set({ instead: { method: "GET", path: "/v1/query", headers: {} } }),
      ],
      [
        ON,
        "expect-continue: with `Expect: 100-continue` is answered with 100 before the body",
        FOUND,
        asking({ Expect: "100-continue" }),
        { ...ASSUMED, alsoExpected: { continued: true } },
      ],
    ],
  },
};

export const QUERY_ANSWERS: readonly Fact[] = [...factsOf(QUERY, SERVED), ...factsOf(QUERY, OTHERS)];

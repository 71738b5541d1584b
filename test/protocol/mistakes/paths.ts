import { adding, changed, type Mistake, request, searching, send } from "./mistakes.ts";

/** Wrong paths and ids. */
export const PATHS: readonly Mistake[] = [
  [
    "a target of another database",
    async (s) => {
      const added = adding({ ...s, keys: s.other });
      await send(s, added);
      const { response } = await s.service.latest();
      const id = Object(response?.body.json).target_id;
      return request(s, "GET", `/targets/${id}`);
    },
    "has no undeleted target",
    'sign with the keys of the database that the target was added to: the database "other" has',
  ],
  [
    "undefined in place of an id",
    (s) => request(s, "GET", "/targets/undefined"),
    'no undeleted target with the id "undefined"',
    "await the call that returns the id",
  ],
  [
    "a Promise in place of an id",
    (s) => changed(request(s, "GET", "/targets/[object%20Promise]"), { path: "/targets/[object Promise]" }),
    'the path has the text "[object Promise]" in place of it',
    "await the call that returns the id",
  ],
  ["a path of the other API", (s) => ({ ...searching(s), api: "target" }), "/v1/query", "query API"],
];

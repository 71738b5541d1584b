import fc from "fast-check";
import { samplePicture } from "mock-cloud-reco";
import { answered, request } from "./described.ts";
import { type Command, command, expectSame, FAULT_STATUS, send } from "./real.ts";
import type { Database, Target } from "./state.ts";

const images = await Promise.all([1, 2].map((number) => samplePicture(number)));
const imageOf = (index: number): Uint8Array<ArrayBuffer> => new Uint8Array(images[index] ?? []);
const base64Of = (index: number): string => Buffer.from(imageOf(index)).toString("base64");

/** Additions of one name that are sent at once: one of them gets it. */
const addTogether = (name: string, title: string, index: number) =>
  command(
    `addTarget(${[name, title, index].join(", ")}) 3 times at once`,
    // One that is delayed may come last.
    ({ state: { faults, databases } }) =>
      databases.some((database) => database.name === name) &&
      !faults.some(({ operation, effect }) => operation === "addTarget" && effect === "delay"),
    async (model, real) => {
      const database = model.database(name);
      if (database === undefined) return;
      const { now } = model.state;
      const together = model.next();
      const body = { name: title, width: 1, image: base64Of(index) };
      const isFree = named(database, title) === undefined && database.targets.length < database.targetQuota;
      let isTaken = !isFree;
      const statuses = [1, 2, 3].map(() => {
        const { fault, refused, runs } = model.arrive("addTarget", database);
        const own = isTaken ? 403 : 201;
        if (runs) isTaken = true;
        const result = refused ?? own;
        model.record(
          "addTarget",
          { fault, refused: fault !== "answer" && result >= 400 ? result : undefined },
          { together },
        );
        return fault === "answer" ? FAULT_STATUS : result;
      });
      const request = { method: "POST", path: "/targets", body };
      const answers = await Promise.all([1, 2, 3].map(() => send(real, database.keys, request, now)));
      expectSame(answers.map(({ status }) => status).sort(), statuses.sort(), "statuses of requests at once");
      const added = answers.find(({ status }) => status === 201);
      if (added === undefined) return;
      database.targets.push(newTarget(String(added.json.target_id), title, index, now));
    },
  );

const newTarget = (id: string, name: string, image: number, now: number): Target => ({
  id,
  name,
  image,
  active: true,
  uploaded: now,
  changed: now,
  processed: false,
  rated: false,
  recognitions: 0,
});

export const databaseName = fc.constantFrom("a", "a", "b");
/** One with half of a surrogate pair. */
export const targetName = fc.constantFrom("x", "y", "z\ud800");
export const image = fc.nat({ max: 1 });

export const named = ({ targets }: Database, name: string) => targets.find((target) => target.name === name);
const UNKNOWN = "0".repeat(32);

function queryForm(index: number): FormData {
  const form = new FormData();
  form.append("image", new Blob([imageOf(index)]), "image.jpg");
  form.append("max_num_results", "50");
  return form;
}

export const add = (name: string, title: string, index: number) =>
  request("addTarget", [name, title, index], (database, model) => ({
    request: {
      method: "POST",
      path: "/targets",
      body: { name: title, width: 1, image: base64Of(index) },
    },
    status: named(database, title) || database.targets.length >= database.targetQuota ? 403 : 201,
    learn: ({ target_id }) => {
      const { now } = model.state;
      database.targets.push(newTarget(String(target_id), title, index, now));
    },
  }));

export const update = (name: string, title: string, change: { name: string } | { active: boolean }) =>
  request("updateTarget", [name, title, change], (database, model) => {
    const target = named(database, title);
    const owner = "name" in change ? named(database, change.name) : undefined;
    const isTaken = owner !== undefined && owner !== target;
    const body = "name" in change ? change : { active_flag: change.active };
    return {
      request: { method: "PUT", path: `/targets/${target?.id ?? UNKNOWN}`, body },
      status: !target ? 404 : isTaken || model.status(target) === "processing" ? 403 : 200,
      change: () => {
        if (target) Object.assign(target, change, { changed: model.state.now, processed: false });
      },
    };
  });

export const remove = (name: string, title: string) =>
  request("deleteTarget", [name, title], (database, model) => {
    const target = named(database, title);
    return {
      request: { method: "DELETE", path: `/targets/${target?.id ?? UNKNOWN}` },
      status: !target ? 404 : model.status(target) === "processing" ? 403 : 200,
      change: () => {
        database.targets = database.targets.filter((each) => each !== target);
      },
    };
  });

const read = (name: string, title: string) =>
  request("getTarget", [name, title], (database, model) => {
    const target = named(database, title);
    return {
      request: { method: "GET", path: `/targets/${target?.id ?? UNKNOWN}` },
      status: target ? 200 : 404,
      ...(target && {
        shows: [
          ({ status, target_record }) => [status, target_record],
          [
            model.status(target),
            {
              target_id: target.id,
              active_flag: target.active,
              name: title,
              width: 1,
              tracking_rating: model.isRated(target) ? 5 : -1,
              reco_rating: "",
            },
          ],
        ],
      }),
    };
  });

export const list = (name: string) =>
  request("listTargets", [name], (database, model) => ({
    request: { method: "GET", path: "/targets" },
    status: 200,
    shows: [({ results }) => results, model.sorted(database).map(({ id }) => id)],
  }));

export const summary = (name: string) =>
  request("databaseSummary", [name], (database, model) => {
    const processed = database.targets.filter((target) => model.status(target) === "success");
    const active = processed.filter((target) => target.active).length;
    const processing = database.targets.length - processed.length;
    return {
      request: { method: "GET", path: "/summary" },
      status: 200,
      shows: [
        ({ active_images, inactive_images, processing_images, target_quota }) => [
          active_images,
          inactive_images,
          processing_images,
          target_quota,
        ],
        [active, processed.length - active, processing, database.targetQuota],
      ],
    };
  });

const duplicates = (name: string, title: string) =>
  request("getDuplicates", [name, title], (database, model) => {
    const target = named(database, title);
    const others = model
      .sorted(database)
      .filter(
        (each) =>
          each !== target && each.image === target?.image && each.active && model.status(each) === "success",
      );
    return {
      request: { method: "GET", path: `/duplicates/${target?.id ?? UNKNOWN}` },
      status: target ? 200 : 404,
      // Those of the same date are in the order of their ids.
      shows: [
        ({ similar_targets: ids }) => Array.isArray(ids) && [...ids].sort(),
        others.map(({ id }) => id).sort(),
      ],
    };
  });

export const query = (name: string, index: number) =>
  request("query", [name, index], (database, model) => ({
    request: { method: "POST", path: "/v1/query", body: queryForm(index) },
    status: 200,
    shows: [
      ({ results }) => (Array.isArray(results) ? results.map(({ target_id }) => target_id) : results),
      model.found(database, index).map(({ id }) => id),
    ],
  }));

/** What faults and expected refusals may name. */
export const operationName = fc.constantFrom(
  "databaseSummary" as const,
  "databaseSummary" as const,
  "addTarget" as const,
  "listTargets" as const,
  "query" as const,
  "deleteTarget" as const,
  "updateTarget" as const,
  "generateInstance" as const,
);

const added = fc.tuple(databaseName, targetName, image).map((given) => answered(add(...given)));

export const requests: readonly fc.Arbitrary<Command>[] = [
  added,
  added,
  fc
    .tuple(
      databaseName,
      targetName,
      fc.oneof(
        targetName.map((name) => ({ name })),
        fc.boolean().map((active) => ({ active })),
      ),
    )
    .map((given) => answered(update(...given))),
  fc.tuple(databaseName, targetName).map((given) => answered(remove(...given))),
  fc.tuple(databaseName, targetName).map((given) => answered(read(...given))),
  fc.tuple(databaseName, targetName).map((given) => answered(duplicates(...given))),
  fc.tuple(databaseName, image).map((given) => answered(query(...given))),
  databaseName.map((name) => answered(list(name))),
  databaseName.map((name) => answered(list(name))),
  fc.tuple(databaseName, fc.constantFrom(1, 1, 3)).map(([name, times]) => answered(summary(name), times)),
  fc.tuple(databaseName, targetName, image).map((given) => addTogether(...given)),
];

import fc from "fast-check";
import { answered, request } from "./described.ts";
import { type Command, command, expectSame, manage, of } from "./real.ts";
import { databaseName, named, targetName } from "./requests.ts";

/** How often a target was recognised, which only reports tell. */
const count = fc.tuple(databaseName, targetName, fc.nat(2)).map(([name, title, recognitions]) =>
  command(
    `setRecognitionCounts(${[name, title, recognitions].join(", ")})`,
    (model) => {
      const database = model.database(name);
      return database !== undefined && named(database, title) !== undefined;
    },
    async (model, real) => {
      const database = model.database(name);
      const target = database && named(database, title);
      if (target === undefined) return;
      const path = `/cloud_databases/${name}/targets/${target.id}/recognition_counts`;
      await manage(real, "POST", path, { current_month_recos: recognitions });
      target.recognitions = recognitions;
    },
  ),
);

const report = (name: string) =>
  request("requestReport", [name], (database, model) => {
    const { now } = model.state;
    const hour = new Date(now).toISOString().slice(0, "YYYY-MM-DDTHH".length);
    const file = hour.replace("T", "-");
    const { database_id: id } = database.keys;
    return {
      request: {
        method: "POST",
        path: `/imagetargets/databases/${id}/reports/recoCounts`,
        body: { month: hour.slice(0, "YYYY-MM".length) },
      },
      status: 200,
      change: () => {
        if (database.reports.some((each) => each.file === file)) return;
        const counted = database.targets.filter(({ recognitions }) => recognitions > 0);
        const counts = counted.map((target) => [target.id, target.recognitions] as const);
        const byId = counts.sort(([one], [other]) => (one < other ? -1 : 1));
        database.reports.push({ file, counts: byId, requested: now, processed: false });
      },
      learn: ({ presigned_url }) => {
        const { pathname, search } = new URL(String(presigned_url));
        model.downloads.push({ path: pathname + search, database: String(id), file });
      },
    };
  });

const download = fc.nat(3).map((index) =>
  command(
    `downloadReport(#${index})`,
    ({ downloads }) => downloads.length > 0,
    async (model, real) => {
      const { path, database, file } = of(model.downloads, index);
      const { send: fetch, urls } = real.world;
      const response = await fetch(urls.target + path);
      const text = await response.text();
      const found = model.state.databases
        .find(({ keys }) => keys.database_id === database)
        ?.reports.find((each) => each.file === file);
      const lines = ["target_id,reco_count", ...(found?.counts.map((row) => row.join(",")) ?? []), ""];
      const wanted = found !== undefined && model.isReady(found) ? [200, lines.join("\r\n")] : [404];
      expectSame([response.status, text].slice(0, wanted.length), wanted, "downloadReport");
      const refused = found === undefined ? 404 : undefined;
      model.record("downloadReport", { fault: undefined, refused });
    },
  ),
);

export const reports: readonly fc.Arbitrary<Command>[] = [
  count,
  databaseName.map((name) => answered(report(name))),
  download,
];

import { statusAt } from "../../domain/target.ts";
import { endpoint } from "../../http/endpoint.ts";
import { rankTargets } from "../../images/ranking.ts";
import { targetApiJson, transactionId } from "../../responses/target-api.ts";
import { targetChecks } from "./guards.ts";

/** `GET /duplicates/{id}`: other active targets whose image matches this one's, best first. Protocol section 5. */
export const getDuplicates = endpoint(
  "getDuplicates",
  "GET",
  "/duplicates/{id}",
  targetChecks,
  async (context) => {
    const { database, target, services, now } = context;
    const others =
      statusAt(target, now) === "failed"
        ? []
        : (await services.store.listTargets(database.name)).filter(
            (other) => other.id !== target.id && other.active && statusAt(other, now) === "success",
          );
    const image = await target.image.bytes();
    const ranked = await rankTargets(services.settings.duplicatesMatcher, image, others);
    return targetApiJson(context, 200, {
      transaction_id: transactionId(context),
      result_code: "Success",
      similar_targets: ranked.filter(({ score }) => score !== null).map((scored) => scored.target.id),
    });
  },
);

import { addRemark } from "../../emulator/context.ts";
import { operation } from "../../emulator/operation.ts";
import { ok } from "../../emulator/response.ts";
import { rankTargets } from "../../images/on-demand.ts";
import { cause } from "../../schema/causes/causes.ts";
import { statusAt } from "../../schema/processing.ts";
import type { Target } from "../../schema/target.ts";
import { targetTable } from "./checks.ts";
import { similarTargets } from "./responses.ts";

export const getDuplicates = operation({
  name: "getDuplicates",
  method: "GET",
  path: "/duplicates/{id}",
  summary: "Lists the other active targets whose image matches this target's, best first.",
  security: "serverKeys",
  checks: targetTable,
  responses: [similarTargets],
  handle: async ({ target, targets, services, now, entry }) => {
    const { duplicatesMatcher } = services.answerOptions;
    const find = async (seen: readonly Target[]) => {
      const others =
        statusAt(target, now) === "failed" ? [] : seen.filter(({ targetId }) => targetId !== target.targetId);
      const active = others.filter(({ activeFlag }) => activeFlag);
      const waiting = active.filter((other) => statusAt(other, now) === "processing");
      const [processing, inactive] = [waiting.length, others.length - active.length];
      if (processing + inactive > 0)
        addRemark(entry, cause("duplicates.passed-over", { processing, inactive }));
      const compared = active.filter((other) => statusAt(other, now) === "success");
      const image = await target.image.bytes();
      const { matches } = await rankTargets(duplicatesMatcher, image, compared, undefined, "wholePictures");
      return { found: matches.map((match) => match.target) };
    };
    const { found } = await targets.search(find);
    return ok(similarTargets, { similar_targets: found.map(({ targetId }) => targetId) });
  },
});

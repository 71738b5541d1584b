import { decodeServiceBase64 } from "../../domain/service-base64.ts";
import type { Target } from "../../domain/target.ts";
import { endpoint } from "../../http/endpoint.ts";
import { encodeQueryReply, querySuccess } from "../../responses/query-api.ts";
import { transactionId } from "../../responses/target-api.ts";
import type { ServiceEndpoint } from "../../services.ts";
import { queryChecks } from "./guards.ts";
import { searchTargets } from "./search.ts";

const checkedQuery = endpoint("query", "POST", "/v1/query", queryChecks, async (context) => {
  const { services, database, image, maxNumResults, includeTargetData, trace, now } = context;
  const targets = await services.store.listTargets(database.name);
  const search = await searchTargets(targets, image, services.settings.queryMatcher, maxNumResults, now);
  trace.considered = search.considered;
  const detailed = { all: search.found.length, top: 1, none: 0 }[includeTargetData];
  return querySuccess(context, {
    results: search.found.map((target, index) => ({
      target_id: target.id,
      ...(index < detailed && { target_data: targetData(target) }),
    })),
    query_id: transactionId(context),
  });
});

/** `POST /v1/query`: the targets that match an image. Protocol section 8. */
export const query: ServiceEndpoint = {
  ...checkedQuery,
  answer: async (call) => {
    const { queryContentEncoding } = call.services.settings;
    const answer = await checkedQuery.answer(call);
    return { ...answer, reply: await encodeQueryReply(answer.reply, call, queryContentEncoding) };
  },
};

function targetData({ name, metadata, modifiedAt }: Target) {
  return {
    target_timestamp: Math.floor(modifiedAt / 1000),
    name,
    application_metadata:
      metadata === null ? null : (decodeServiceBase64(metadata)?.toString("base64") ?? null),
  };
}

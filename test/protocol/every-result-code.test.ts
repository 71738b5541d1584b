import { expect, it } from "vitest";
import { placeholder } from "../conformance/engine/situation.ts";
import { FACTS } from "../conformance/facts.ts";

/** Every code with its usual status, without the three that must be configured (test/protocol/vumark/instance.test.ts). */
const RESULT_CODES = {
  Success: 200,
  TargetCreated: 201,
  AuthenticationFailure: 401,
  RequestTimeTooSkewed: 403,
  TargetNameExist: 403,
  UnknownTarget: 404,
  BadImage: 422,
  ImageTooLarge: 422,
  MetadataTooLarge: 422,
  Fail: 400,
  TargetStatusProcessing: 403,
  TargetStatusNotSuccess: 403,
  RequestQuotaReached: 403,
  TargetQuotaReached: 403,
  ProjectSuspended: 403,
  ProjectInactive: 403,
  InactiveProject: 403,
  ProjectHasNoApiAccess: 403,
  BadRequest: 400,
  InvalidInstanceId: 422,
  InvalidTargetType: 422,
  InvalidAcceptHeader: 400,
  UnknownParameters: 400,
};

/** The codes and statuses that facts say a request is answered with; another test shows that the facts hold. */
const sent = new Set(
  (["neutral", "vuforia"] as const).flatMap((profile) =>
    FACTS.flatMap(({ expected }) => {
      const { body, status } = expected(placeholder({ profile, keys: {}, prefix: "" }, new Date()));
      const code = /"result_code":"(\w+)"/.exec(body)?.[1];
      return code === undefined ? [] : [`${code} ${status}`];
    }),
  ),
);

it("every result code is one with which a fact's request is answered, with its usual status", () => {
  const codes = Object.entries(RESULT_CODES);
  expect(codes.filter(([code, status]) => !sent.has(`${code} ${status}`))).toEqual([]);
});

it("facts name no other result codes", () => {
  const codes = new Set([...sent].map((one) => one.split(" ")[0]));
  expect([...codes].filter((code) => !(code !== undefined && code in RESULT_CODES))).toEqual([]);
});

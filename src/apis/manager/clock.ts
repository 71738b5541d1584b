import * as z from "zod/mini";
import { operation } from "../../core/operation.ts";
import { ok } from "../../core/response.ts";
import { optional, record } from "../../schema/kernel/record.ts";
import { CLOCK_YEARS, clockMoment, flag, isClockMoment, kind } from "../../schema/kernel/values.ts";
import type { ApiContext } from "../shared/services.ts";
import { anyRequest, bodyAccepted } from "./checks.ts";
import { done, emptied, fieldsRefused, refuseFields } from "./responses.ts";

/** The one clock of all servers, which the protocol does not have: a test moves it instead of waiting. */

/** `PUT /clock`. */
export const clockSetting = z.lazy(() => record(optional({ now: clockMoment, frozen: flag })));
/** `POST /clock/advance`. */
export const clockAdvance = z.lazy(() => record({ seconds: kind("a number of seconds", z.number()) }));
/** What both, and `GET /clock`, answer. */
export const clockState = z.lazy(() => record({ now: clockMoment, frozen: flag }));

const clockReply = (call: ApiContext) => {
  const { clock } = call.services;
  return ok(done, { now: clock.now().toISOString(), frozen: clock.isFrozen });
};

export const readClock = operation({
  name: "manager.readClock",
  method: "GET",
  path: "/clock",
  summary: "Says what time it is for all servers, and whether the clock stands still.",
  checks: anyRequest,
  responses: [done],
  handle: clockReply,
});

export const setClock = operation({
  name: "manager.setClock",
  method: "PUT",
  path: "/clock",
  summary: "Puts the clock of all servers to a moment, stops it or lets it run on.",
  checks: anyRequest.row(bodyAccepted(clockSetting)),
  responses: [done],
  handle: (call) => {
    const { clock } = call.services;
    clock.set(call.given.now ?? clock.now().getTime(), call.given.frozen);
    return clockReply(call);
  },
});

export const advanceClock = operation({
  name: "manager.advanceClock",
  method: "POST",
  path: "/clock/advance",
  summary: "Moves the clock of all servers, back if `seconds` is negative.",
  checks: anyRequest.row(bodyAccepted(clockAdvance)),
  responses: [done, fieldsRefused],
  handle: (call) => {
    const { clock } = call.services;
    const moved = clock.now().getTime() + call.given.seconds * 1000;
    if (!isClockMoment(moved)) {
      const message = `seconds is ${call.given.seconds}, which puts the clock to another year`;
      const accepted = `a number of seconds that keeps the clock ${CLOCK_YEARS}`;
      return refuseFields([{ field: "seconds", message, accepted }]);
    }
    clock.set(moved);
    return clockReply(call);
  },
});

export const resetClock = operation({
  name: "manager.resetClock",
  method: "DELETE",
  path: "/clock",
  summary: "Undoes whatever was done to the clock.",
  checks: anyRequest,
  responses: [emptied],
  handle: (call) => {
    call.services.clock.reset();
    return ok(emptied);
  },
});

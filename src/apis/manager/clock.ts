import * as z from "zod/mini";
import { operation } from "../../emulator/operation.ts";
import { ok } from "../../emulator/response.ts";
import { optional, record } from "../../schema/kernel/record.ts";
import { CLOCK_YEARS, clockMoment, flag, isClockMoment, kind } from "../../schema/kernel/values.ts";
import { wireForm } from "../../schema/kernel/wire.ts";
import type { ApiContext } from "../services.ts";
import { anyRequest, bodyAccepted, jsonBody } from "./checks.ts";
import { doneWith, fieldsRefused, noBody, refuseFields } from "./responses.ts";

/** The clock that all servers share: a test moves it instead of waiting. */

const CLOCK = "/clock";
const clockState = doneWith(wireForm(z.lazy(() => record({ now: clockMoment, frozen: flag }))));

const stateOf = ({ services: { clock } }: ApiContext) =>
  ok(clockState, { now: clock.now().getTime(), frozen: clock.isFrozen });

export const readClock = operation({
  name: "manager.readClock",
  method: "GET",
  path: CLOCK,
  summary: "Returns the time of all servers, and whether their clock is stopped.",
  checks: anyRequest,
  responses: [clockState],
  handle: stateOf,
});

const setting = jsonBody(z.lazy(() => record(optional({ now: clockMoment, frozen: flag }))));

export const setClock = operation({
  name: "manager.setClock",
  method: "PUT",
  path: CLOCK,
  summary: "Sets the clock of all servers, stops it or lets it run.",
  body: setting,
  checks: anyRequest.row(bodyAccepted(setting)),
  responses: [clockState],
  handle: (context) => {
    const { clock } = context.services;
    clock.set(context.given.now ?? clock.now().getTime(), context.given.frozen);
    return stateOf(context);
  },
});

const advance = jsonBody(z.lazy(() => record({ seconds: kind("a number of seconds", z.number()) })));

export const advanceClock = operation({
  name: "manager.advanceClock",
  method: "POST",
  path: `${CLOCK}/advance`,
  summary: "Moves the clock of all servers forward, or back when `seconds` is negative.",
  body: advance,
  checks: anyRequest.row(bodyAccepted(advance)),
  responses: [clockState, fieldsRefused],
  handle: (context) => {
    const { clock } = context.services;
    const moved = clock.now().getTime() + context.given.seconds * 1000;
    if (!isClockMoment(moved)) {
      const message = `seconds is ${context.given.seconds}, which moves the clock out of its range`;
      const accepted = `a number of seconds that keeps the clock ${CLOCK_YEARS}`;
      return refuseFields([{ field: "seconds", message, accepted }]);
    }
    clock.set(moved);
    return stateOf(context);
  },
});

export const resetClock = operation({
  name: "manager.resetClock",
  method: "DELETE",
  path: CLOCK,
  summary: "Undoes every change to the clock.",
  checks: anyRequest,
  responses: [noBody],
  handle: ({ services: { clock } }) => {
    clock.reset();
    return ok(noBody);
  },
});

import { endpoint } from "../../http/endpoint.ts";
import { emptyReply, jsonReply } from "../../responses/plain.ts";
import type { Call } from "../../services.ts";
import { anySeconds, flag, moment } from "./field-kinds.ts";
import { anyRequest, bodyAccepted, refuseFields } from "./guards.ts";

/** The one clock of all servers, which the protocol does not have: a test moves it instead of waiting. */

const clockReply = (call: Call) => {
  const { clock } = call.services;
  return jsonReply(call, 200, { now: clock.now().toISOString(), frozen: clock.isFrozen });
};

/** `GET /clock`: what time it is, and whether it stands still. */
export const readClock = endpoint("manager.readClock", "GET", "/clock", anyRequest, clockReply);

/** `PUT /clock`: puts it to a moment, stops it, lets it run on; from the next request to any server on. */
export const setClock = endpoint(
  "manager.setClock",
  "PUT",
  "/clock",
  anyRequest.adding(
    bodyAccepted((fields) => ({
      now: fields.optional("now", moment),
      frozen: fields.optional("frozen", flag),
    })),
  ),
  (call) => {
    const { clock } = call.services;
    clock.set(call.given.now ?? clock.now().getTime(), call.given.frozen);
    return clockReply(call);
  },
);

/** What the headers' form of a date can hold. */
const isInCalendar = (milliseconds: number): boolean => {
  const year = new Date(milliseconds).getUTCFullYear();
  return year >= 1 && year <= 9999;
};

/** `POST /clock/advance`: moves it, running or not. */
export const advanceClock = endpoint(
  "manager.advanceClock",
  "POST",
  "/clock/advance",
  anyRequest.adding(bodyAccepted((fields) => ({ seconds: fields.required("seconds", anySeconds) }))),
  (call) => {
    const { clock } = call.services;
    const moved = clock.now().getTime() + call.given.seconds * 1000;
    if (!isInCalendar(moved)) {
      const message = `seconds is ${call.given.seconds}, which leads out of the calendar`;
      const accepted = "what stays in the years 1 to 9999";
      return refuseFields([{ field: "seconds", message, accepted }]);
    }
    clock.set(moved);
    return clockReply(call);
  },
);

/** `DELETE /clock`: as if it had never been moved. */
export const resetClock = endpoint("manager.resetClock", "DELETE", "/clock", anyRequest, (call) => {
  call.services.clock.reset();
  return emptyReply(call, 200);
});

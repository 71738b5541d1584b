import fc from "fast-check";
import { arrived, type Described, expectAnswer, isThere } from "./described.ts";
import type { Model } from "./model.ts";
import { type Answer, type Command, command, expectSame, manage, of, type Real, send } from "./real.ts";
import { databaseName, image, list, query, remove, summary, targetName, update } from "./requests.ts";

/* Requests that others overtake: what changes before their responses arrive does not change these. */

const MOST_FLIGHTS = 3;
const mayFly = ({ flights }: Model): boolean => flights.length < MOST_FLIGHTS;

/** Its response is delayed: in process until the mock stops, by servers for a moment. */
const answeredLate = (described: Described): Command =>
  command(
    `${described.text}, answered late`,
    (model) => isThere(described)(model) && mayFly(model),
    async (model, real) => {
      const { operation } = described;
      const { state } = model;
      const until = real.world.mock === undefined ? "time" : "stop";
      const fault = { operation, times: 1, delay_seconds: until === "stop" ? 1000 : 0.05 };
      const { id } = await manage<{ readonly id: string }>(real, "POST", "/faults", fault);
      const known = { key: model.next(), id, operation, database: undefined, times: 1, applied: 0 };
      state.faults.unshift({ ...known, effect: "delay" });
      const { keys, request: sent, ...wanted } = arrived(model, described);
      const answer = send(real, keys, sent, state.now);
      // Nobody may wait for it.
      answer.catch(() => {});
      await real.world.seen(state.journal.length);
      model.flights.push({ state, until, sent: model.next() });
      real.flights.push({ answer, expect: (got) => expectAnswer(wanted, got), land: () => {} });
    },
  );

/** A query that waits in the middle of its search, which is of the targets that there are now. */
const heldQuery = (name: string, index: number): Command => {
  const described = query(name, index);
  return command(
    `${described.text}, held`,
    (model) => {
      const database = model.database(name);
      return (
        mayFly(model) &&
        database !== undefined &&
        database.state !== "PROJECT_INACTIVE" &&
        model.faultFor("query", name) === undefined &&
        // The search calls the matcher.
        [0, 1].some((image) => model.found(database, image).length > 0)
      );
    },
    async (model, real) => {
      const { state } = model;
      const database = model.database(name);
      const held = real.world.holdQuery?.();
      if (database === undefined || held === undefined) return;
      const { request: sent, status, shows } = described.expected(database, model);
      const answer = send(real, database.keys, sent, state.now);
      answer.catch(() => {});
      await Promise.race([held.begun, answer]);
      model.flights.push({ state, until: "landing", sent: model.next() });
      const expect = (got: Answer) => expectAnswer({ operation: "query", status, shows }, got);
      real.flights.push({ answer, expect, land: held.end });
    },
  );
};

/** A response arrives that somebody waits for. */
const land = fc.nat(MOST_FLIGHTS - 1).map((index) =>
  command(
    `answer #${index}`,
    ({ flights }) => flights.some(({ until }) => until !== "stop"),
    async (model, real) => {
      const landing = model.flights.filter(({ until }) => until !== "stop");
      const flight = of(landing, index);
      const at = model.flights.indexOf(flight);
      model.flights.splice(at, 1);
      if (flight.until === "landing")
        model.record("query", { fault: undefined, refused: undefined }, { ...flight, from: flight.state });
      const [own] = real.flights.splice(at, 1);
      own?.land();
      if (own !== undefined) own.expect(await own.answer);
    },
  ),
);

/** The model need not learn from their responses. */
const plain: fc.Arbitrary<Described> = fc.oneof(
  databaseName.map(summary),
  databaseName.map(list),
  fc.tuple(databaseName, targetName).map((given) => remove(...given)),
  fc.tuple(databaseName, targetName).map(([name, title]) => update(name, title, { active: false })),
);

/** The responses that a mock was delaying never come. */
export async function expectStopped(model: Model, real: Real): Promise<void> {
  for (const [at, { until }] of [...model.flights.entries()].reverse()) {
    if (until !== "stop") continue;
    model.flights.splice(at, 1);
    const [flight] = real.flights.splice(at, 1);
    const got = await flight?.answer.catch(() => "no response");
    expectSame(got, "no response", "a delayed response after a stop");
  }
}

export const flights: readonly fc.Arbitrary<Command>[] = [plain.map(answeredLate), land];

/** Only a mock can hold them. */
export const heldQueries = fc.tuple(databaseName, image).map((given) => heldQuery(...given));

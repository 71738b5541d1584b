import { MockCloudReco, perfectRater } from "mock-cloud-reco";
import { MockSession } from "../support/mock-session.ts";
import { makePng } from "../support/png.ts";
import { type Bench, median } from "./measure.ts";

const TIMES = 250;
const TO_WARM_UP = 50;
const FEW = { targets: 10, databases: 1, requests: 0 };
const MANY = { targets: 10_000, databases: 1000, requests: 1000 };
const KNOWN = "a".repeat(32);

const image = makePng();

type Act = (session: MockSession, round: number) => Promise<void>;

async function expectSuccess(sent: ReturnType<MockSession["target"]>): Promise<Buffer> {
  const { status, body } = await sent;
  if (status >= 300) throw new Error(`the mock answered ${status}: ${body}`);
  return body;
}

const get =
  (path: string): Act =>
  async (session) => {
    await expectSuccess(session.target({ method: "GET", path }));
  };

const update: Act = async (session, round) => {
  const body = { name: `renamed ${round}` };
  await expectSuccess(session.target({ method: "PUT", path: `/targets/${KNOWN}`, body }));
};

const add: Act = async (session, round) => {
  const added = await expectSuccess(session.add({ name: `added ${round}` }));
  const { target_id: id } = JSON.parse(added.toString());
  await expectSuccess(session.target({ method: "DELETE", path: `/targets/${id}` }));
};

const ACTS: Readonly<Record<string, Act>> = {
  "GET /summary": get("/summary"),
  "GET /summary/{id}": get(`/summary/${KNOWN}`),
  "GET /targets/{id}": get(`/targets/${KNOWN}`),
  "PUT /targets/{id}": update,
  "PUT /targets/{id}, then GET /summary": async (session, round) => {
    await update(session, round);
    await get("/summary")(session, round);
  },
  "POST /targets, then DELETE": add,
};

/** Requests that concern one target or none: they take as long in a full emulator as in one that is almost empty. */
export const bench: Bench = {
  async run() {
    using few = new MockCloudReco({ processingTimeSeconds: 0, targetRater: perfectRater });
    using many = new MockCloudReco({ processingTimeSeconds: 0, targetRater: perfectRater });
    const sessions = { few: await filled(few, FEW), many: await filled(many, MANY) };
    const rows = [];
    for (const [name, act] of Object.entries(ACTS)) {
      const times = { few: [] as number[], many: [] as number[] };
      for (let round = 0; round < TO_WARM_UP + TIMES; round++) {
        for (const which of ["few", "many"] as const) {
          const start = performance.now();
          await act(sessions[which], round);
          if (round >= TO_WARM_UP) times[which].push(performance.now() - start);
        }
      }
      rows.push({
        name: `${name} with ${MANY.targets} targets, ${MANY.databases} databases, a full journal`,
        milliseconds: median(times.many),
        baseline: `${FEW.targets} targets`,
        baselineMilliseconds: median(times.few),
        atLeast: 0.8,
      });
    }
    return rows;
  },
};

async function filled(
  mock: MockCloudReco,
  { targets, databases, requests }: typeof FEW,
): Promise<MockSession> {
  const database = mock.addCloudDatabase({ targetQuota: targets + 1 });
  for (let number = 1; number < databases; number++) mock.addCloudDatabase();
  await mock.addTarget(database, { name: "known", targetId: KNOWN, image });
  for (let number = 1; number < targets; number++)
    await mock.addTarget(database, { name: `${number}`, image });
  const session = new MockSession(mock, database);
  for (let number = 0; number < requests; number++) await get("/summary")(session, number);
  return session;
}

import { expect, it } from "vitest";
import { describeBackends } from "../../support/backends.ts";
import { AUTHORIZATION } from "./authorization.ts";
import { BODIES } from "./bodies.ts";
import { KEYS } from "./keys.ts";
import { adding, changed, listing, send } from "./mistakes.ts";
import { PATHS } from "./paths.ts";
import { PICTURES } from "./pictures.ts";
import { SIGNATURES } from "./signatures.ts";

const MISTAKES = [...SIGNATURES, ...KEYS, ...AUTHORIZATION, ...BODIES, ...PICTURES, ...PATHS];

describeBackends("the journal names a typical mistake and its fix", (backend) => {
  it("is one of 99", () => expect(MISTAKES).toHaveLength(99));

  it("the signature of another request", async () => {
    await using service = await backend.open(
      backend.overSockets ? {} : { targetUrl: "https://target.example" },
    );
    const keys = await service.addCloudDatabase({ databaseName: "shop" });
    const situation = { service, keys, other: keys };
    const added = adding(situation);
    await send(situation, added);
    await send(situation, changed(listing(situation), added.signed));
    const { reason = "" } = await service.latest();
    expect(reason).toContain(
      "compute a new signature for each request: it is that of request #1 (POST /targets); the signature does not match",
    );
    // Those of a client that signs wrongly are equal too, and are no request's own.
    const wrong = changed(listing(situation), { method: "get" });
    await send(situation, wrong);
    await send(situation, wrong);
    expect((await service.latest()).reason).toContain("sign the method in upper case");
  });

  it.each(MISTAKES)("%s", async (_what, make, mistake, fix) => {
    await using service = await backend.open(
      backend.overSockets ? {} : { targetUrl: "https://target.example" },
    );
    const keys = await service.addCloudDatabase({ databaseName: "shop" });
    const other = await service.addCloudDatabase({ databaseName: "other" });
    const situation = { service, keys, other };
    await send(situation, await make(situation));
    // The rest of a body that is longer than announced is an entry of its own, without a path.
    const entries = await service.requests();
    const { reason = "", refusedBy } = entries.findLast(({ path }) => path !== "") ?? {};
    expect(refusedBy).toBeDefined();
    expect(reason).toContain(mistake);
    expect(reason).toContain(fix);
    for (const { serverSecretKey, clientSecretKey } of [keys, other]) {
      expect(reason).not.toContain(serverSecretKey);
      expect(reason).not.toContain(clientSecretKey);
    }
  });
});

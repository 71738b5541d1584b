import { crlfPage, fromLoadBalancer } from "../core/apis/signed/responses.ts";
import type { FaultEffect, SharedFaults } from "../core/emulator/faults.ts";
import type { Random } from "../core/emulator/random.ts";
import { type DeclaredResponse, ok } from "../core/emulator/response.ts";
import { cause } from "../core/schema/causes/causes.ts";

/** The load balancer's standard pages: the real service's bytes are not recorded. */
const PAGES: readonly DeclaredResponse[] = [
  [502, "Bad Gateway"] as const,
  [503, "Service Temporarily Unavailable"] as const,
  [504, "Gateway Time-out"] as const,
].map(([status, title]) => {
  const page = crlfPage(`${status} ${title}`, `<center><h1>${status} ${title}</h1></center>`);
  return fromLoadBalancer(status, page, title, "keep-alive");
});

/** The faults of a test, and after these the failures of a load balancer that Model Target routes have by chance. */
export function withGatewayErrors(faults: SharedFaults, draw: () => FaultEffect | undefined): SharedFaults {
  return {
    isEmpty: false,
    choose: async (request, random) => {
      const chosen = faults.isEmpty ? undefined : await faults.choose(request, random);
      return chosen !== undefined || request.api !== "modelTarget" ? chosen : draw();
    },
    list: () => faults.list(),
    create: (fault) => faults.create(fault),
    delete: (id) => faults.delete(id),
    clear: () => faults.clear(),
  };
}

export function gatewayError(random: Random): FaultEffect {
  const page = PAGES[random.integer(PAGES.length + 1)];
  return {
    configuredBy: "realism",
    effect: cause("realism.gateway", { status: page?.status }),
    ...(page === undefined ? { resetConnection: true } : { response: ok(page) }),
  };
}

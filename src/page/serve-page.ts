import { createRandom } from "../emulator/random.ts";
import type { EmulatorState } from "../mock/emulator-state.ts";
import type { ResolvedOptions } from "../mock/options.ts";
import type { Service } from "../schema/operation-names.ts";
import { startServer } from "../servers/server.ts";
import { whyDistrusted } from "../servers/trusted-callers.ts";
import { PageApi } from "./page-api.ts";

export interface PagedMock {
  readonly state: EmulatorState;
  readonly options: ResolvedOptions;
  /** The mock's base URLs. */
  readonly urls: Readonly<Record<Service, string>>;
  /** Called when "Continue" is pressed; without it, the page has no such button. */
  readonly resume?: (() => void) | undefined;
}

/** A server that shows one mock. */
export interface PageServer {
  /** Address to open in a browser. */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the page of a mock, and the target manager's API that the page uses, on a loopback port. */
export async function servePage({ state, options, urls, resume }: PagedMock): Promise<PageServer> {
  const { emulator, store, clock } = state;
  const { settings } = options;
  const page = new PageApi({
    store,
    clock,
    // Not from the seed, because ids must be unique to this run.
    epoch: createRandom().hex(16),
    journal: emulator.journal,
    faults: state.faults,
    findImage: (sha256) => store.state.images.find(sha256)?.bytes(),
    queryMatcher: settings.queryMatcher,
    urls: () => ({ target: urls.target, query: urls.query, manager: urls.manager }),
    pause: resume && { resume },
  });
  const server = await startServer({ host: "127.0.0.1", port: 0 }, () => ({
    apis: ["manager"],
    emulator,
    settings,
    handle: async (request) => {
      const distrust = whyDistrusted(request);
      if (distrust !== undefined) return emulator.handle(["manager"], request, { status: 403, ...distrust });
      return page.serves(request)
        ? { response: await page.answer(request) }
        : emulator.handle(["manager"], request);
    },
  }));
  return { url: `${server.url}/`, close: () => server.close(1) };
}

import { createEmulator } from "../core/apis/index.ts";
import { Journal } from "../core/emulator/journal.ts";
import { header } from "../core/emulator/message.ts";
import { answerMalformed } from "../core/http/http-messages.ts";
import { startServer } from "../core/http/listen.ts";
import { whyDistrusted } from "../core/http/trust.ts";
import { type ApiName, PAGE_HEADER } from "../core/schema/protocol.ts";
import type { ResolvedOptions } from "../options/options.ts";
import { PageApi } from "../page/page-api.ts";
import { isForPage } from "../page/page-requests.ts";
import type { EmulatorState } from "./emulator-state.ts";

/** The parts of a mock that its page shows. */
export interface ShownMock {
  readonly state: EmulatorState;
  readonly options: ResolvedOptions;
  readonly urls: Readonly<Record<ApiName, string>>;
}

interface PagedMock extends ShownMock {
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
  const { answerOptions } = options;
  const page = new PageApi({
    store,
    clock,
    journal: emulator.journal,
    faults: state.faults,
    findImage: async (sha256) => store.state.images.find(sha256)?.bytes(),
    queryMatcher: answerOptions.queryMatcher,
    targetRater: answerOptions.targetRater,
    advice: answerOptions.advice,
    urls: () => ({ target: urls.target, query: urls.query, manager: urls.manager }),
    pause: resume && { resume },
  });
  // Other requests, such as a browser's for an icon, are not the mock's.
  const unrecorded = createEmulator(
    {
      store,
      clock,
      random: state.random,
      profile: options.profile,
      answerOptions,
      journal: new Journal(1),
      faults: state.faults,
    },
    { unservedPaths: "notFound" },
  );
  const server = await startServer({ host: "127.0.0.1", port: 0 }, () => ({
    answerMalformed: (why, head) => answerMalformed(unrecorded, ["manager"], why, head),
    answer: async (request) => {
      const distrust = whyDistrusted(request);
      if (distrust !== undefined)
        return unrecorded.handle(["manager"], request, { status: 403, ...distrust });
      if (isForPage(request)) return { response: await page.answer(request) };
      const isOwn = header(request, PAGE_HEADER) !== undefined;
      return (isOwn ? emulator : unrecorded).handle(["manager"], request);
    },
  }));
  return { url: `${server.url}/`, close: () => server.close(1) };
}

import { bounded } from "../general/text.ts";
import { type AnyCause, cause } from "../schema/causes/causes.ts";
import type { ApiName } from "../schema/protocol.ts";
import type { AnyCheck } from "./check.ts";
import type { PathParams } from "./context.ts";
import { header, type MalformedKind, type MethodAndPath, type WithHeaders } from "./message.ts";
import type { Api, ApiOperation } from "./operation.ts";

/** What answers a request that no operation gets. */
export interface EarlyRoute<Services> {
  readonly api: Api<Services>;
  /** Of a malformed request. */
  readonly malformed?: MalformedKind | undefined;
  /** The check of the operation that answers a malformed request. */
  readonly answering?: AnyCheck | undefined;
}

export interface Route<Services> extends EarlyRoute<Services> {
  /** Undefined when no operation has that method and path. */
  readonly operation?: ApiOperation<Services> | undefined;
  readonly params: PathParams;
  /** Whether an operation has that path, with this method or another. */
  readonly pathIsServed: boolean;
}

export interface RefusalReason {
  readonly refusedBy: string;
  readonly cause: AnyCause;
}

/** A refusal by the emulator's server rather than by the emulated service: a line of text in the form of the API's responses. */
export interface ServerRefusal extends RefusalReason {
  readonly status: number;
  /** Default: the sentence of the cause. */
  readonly line?: string;
}

/** Why a request gets no operation: its server refuses it, it is malformed, or no transport can answer its connection. */
export type EarlyRefusal =
  | ServerRefusal
  | (RefusalReason & { readonly malformed: MalformedKind })
  | (RefusalReason & { readonly connection: "refused" });

/**
 * Finds the operation for a request among a host's APIs; the first API answers a path that none of them serves. A request
 * that is refused early has none, unless a check of the operation answers such malformed requests.
 */
export function route<Services>(
  apis: Readonly<Record<ApiName, Api<Services>>>,
  served: readonly [ApiName, ...ApiName[]],
  { method, path }: MethodAndPath,
  earlyRefusal?: EarlyRefusal,
): Route<Services> {
  const malformed =
    earlyRefusal !== undefined && "malformed" in earlyRefusal ? earlyRefusal.malformed : undefined;
  for (const name of earlyRefusal === undefined || malformed !== undefined ? served : []) {
    const api = apis[name];
    for (const operation of api.operations) {
      const answering =
        malformed && operation.checks.find(({ answersMalformed }) => answersMalformed === malformed);
      if (malformed !== undefined && answering === undefined) continue;
      const params = operation.method === method ? operation.match(path) : undefined;
      if (params !== undefined) return { api, operation, malformed, answering, params, pathIsServed: true };
    }
  }
  if (earlyRefusal !== undefined) return { api: apis[served[0]], malformed, params: {}, pathIsServed: false };
  const serving = served.findLast((name) =>
    apis[name].operations.some((operation) => operation.match(path) !== undefined),
  );
  return { api: apis[serving ?? served[0]], params: {}, pathIsServed: serving !== undefined };
}

/** Longer paths are truncated before they are compared: the longest route is far shorter. */
const MOST_CHARACTERS = 512;

/** The route most similar to an unserved request; undefined when there are no routes. */
export function nearestRoute<Route extends MethodAndPath>(
  routes: readonly Route[],
  request: MethodAndPath,
): Route | undefined {
  let nearest: { readonly route: Route; readonly cost: number } | undefined;
  const path = request.path.slice(0, MOST_CHARACTERS);
  for (const route of routes) {
    const cost = pathCost(path, route.path) + (request.method === route.method ? 0 : 0.5);
    if (nearest === undefined || cost < nearest.cost) nearest = { route, cost };
  }
  return nearest?.route;
}

/** The edit distance of a path to a pattern: a segment added or removed costs 1, a changed one depends on its letters. */
function pathCost(path: string, pattern: string): number {
  const segments = (text: string): string[] => text.split("/").filter((segment) => segment !== "");
  return editCost(segments(path), segments(pattern), segmentCost);
}

function segmentCost(given: string, wanted: string): number {
  if (given === wanted) return 0;
  // An id may be any text, but an exact match is the better explanation.
  if (wanted.startsWith("{")) return 0.05;
  if (given.toLowerCase() === wanted.toLowerCase()) return 0.1;
  const changed = editCost([...given.slice(0, 40)], [...wanted], (a, b) => (a === b ? 0 : 1));
  return Math.min(1, changed / Math.max(given.length, wanted.length)) * 1.5;
}

/** The least cost of turning one list into the other by adding, removing (1 each) and changing elements. */
function editCost(
  from: readonly string[],
  to: readonly string[],
  change: (given: string, wanted: string) => number,
): number {
  // The cost of turning the elements of `from` read so far into each prefix of `to`.
  const row = to.map((wanted, index) => ({ wanted, cost: index + 1 }));
  let least = to.length;
  for (const [index, given] of from.entries()) {
    let before = index;
    least = index + 1;
    for (const cell of row) {
      least = Math.min(before + change(given, cell.wanted), cell.cost + 1, least + 1);
      before = cell.cost;
      cell.cost = least;
    }
  }
  return least;
}

/**
 * Explains why nothing serves a request, and suggests an alternative: the methods of its path, the API that serves it, or
 * the most similar route.
 *
 * @param served - the APIs of the host of the request.
 */
export function unservedCause(
  apis: readonly Api[],
  served: readonly ApiName[],
  request: MethodAndPath & WithHeaders,
): AnyCause {
  const { method, path } = request;
  if (method === "OPTIONS" && header(request, "access-control-request-method") !== undefined)
    return cause("preflight.unserved");
  const here = apis.filter(({ name }) => served.includes(name)).flatMap(({ operations }) => operations);
  const samePath = here.filter((operation) => operation.match(path) !== undefined);
  if (samePath.length > 0) {
    const methods = samePath.map((operation) => `${operation.method} (${operation.name})`).join(", ");
    return cause("method.unknown", { path: bounded(path), method, accepted: methods });
  }
  for (const { operations, title, urlOption } of apis) {
    const methods = operations.flatMap((each) => (each.match(path) === undefined ? [] : [each.method]));
    if (methods.length === 0) continue;
    const accepted = methods.includes(method) ? {} : { accepted: methods.join(" or ") };
    return cause("path.other-api", {
      method,
      path: bounded(path),
      api: title,
      option: urlOption,
      ...accepted,
    });
  }
  const nearest = nearestRoute(here, { method, path });
  return cause("path.unknown", {
    method,
    path: bounded(path),
    ...(nearest && { nearest: `${nearest.method} ${nearest.path} (${nearest.name})` }),
  });
}

import type { ServiceEndpoint } from "../../services.ts";
import { query } from "./query.ts";

/** The route of protocol section 8. */
export const queryEndpoints: readonly ServiceEndpoint[] = [query];

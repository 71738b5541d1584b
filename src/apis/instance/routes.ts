import type { ServiceEndpoint } from "../../services.ts";
import { generateInstance } from "./generate-instance.ts";

/** The route of protocol section 6. */
export const instanceEndpoints: readonly ServiceEndpoint[] = [generateInstance];

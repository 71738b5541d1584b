import type { ServiceEndpoint } from "../../services.ts";
import { downloadReport } from "./download-report.ts";
import { requestReport } from "./request-report.ts";

/** The routes of protocol section 7. */
export const reportEndpoints: readonly ServiceEndpoint[] = [requestReport, downloadReport];

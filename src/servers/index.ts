export type { JournalEntry } from "../emulator/journal.ts";
export type { ProfileName } from "../emulator/profiles.ts";
export type { TlsFiles } from "../http/http-server.ts";
export type { MatcherName } from "../images/matching/matchers.ts";
export type { RaterName } from "../images/on-demand.ts";
export type {
  FaultHandle,
  MockClock,
  MockCloudDatabase,
  MockTarget,
  MockVuMarkDatabase,
} from "../mock/handles.ts";
export type { LogLevel } from "../options/option.ts";
export type { CloudDatabaseFields, DatabaseChanges } from "../schema/cloud-database.ts";
export type { VuMarkDatabaseFields } from "../schema/database.ts";
export type { Fault } from "../schema/fault.ts";
export { InvalidOptionError } from "../schema/zod/problems.ts";
export { InvalidSeedError } from "./seed-file.ts";
export type { StartProgress } from "./server.ts";
export type { ServerOptions, StartServersOptions } from "./server-options.ts";
export { type IsolatedDatabase, type Servers, startServers } from "./start-servers.ts";

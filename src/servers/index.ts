export type { JournalEntry } from "../core/emulator/journal.ts";
export type { ProfileName } from "../core/emulator/profiles.ts";
export type { TlsFiles } from "../core/http/http-server-options.ts";
export type { CloudDatabaseFields, DatabaseChanges } from "../core/schema/cloud-database.ts";
export type { VuMarkDatabaseFields } from "../core/schema/database.ts";
export type { Fault } from "../core/schema/fault.ts";
export { InvalidOptionError } from "../core/schema/zod/problems.ts";
export type {
  FaultHandle,
  MockClock,
  MockCloudDatabase,
  MockTarget,
  MockVuMarkDatabase,
} from "../mock/handles.ts";
export type { MatcherName, RaterName } from "../options/named.ts";
export type { LogLevel } from "../options/option.ts";
export { InvalidSeedError } from "./seed-file.ts";
export type { StartProgress } from "./server.ts";
export type { ServerOptions, StartServersOptions } from "./server-options.ts";
export { type IsolatedDatabase, type Servers, startServers } from "./start-servers.ts";

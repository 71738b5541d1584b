import * as z from "zod/mini";
import { type SeededCloudDatabase, seededCloudDatabase } from "./cloud-database.ts";
import { type ClientCredential, postedCredential } from "./credential.ts";
import { type NewDataset, postedDataset } from "./dataset.ts";
import { optional, record } from "./kernel/record.ts";
import { kind } from "./kernel/values.ts";
import { wireForm } from "./kernel/wire.ts";
import { type SeededVuMarkDatabase, seededVuMarkDatabase } from "./vumark-database.ts";

/** The initial state of servers. */
interface Seed {
  readonly cloudDatabases?: readonly SeededCloudDatabase[];
  readonly vumarkDatabases?: readonly SeededVuMarkDatabase[];
  readonly oauth2ClientCredentials?: readonly ClientCredential[];
  readonly modelTargetDatasets?: readonly NewDataset[];
}

/** A seed file: the target manager's resources, with targets inside their databases; read-only fields are refused. */
export const seed = wireForm(
  z.lazy(() => {
    const lists = {
      cloudDatabases: kind("a list of cloud databases", z.array(seededCloudDatabase)),
      vumarkDatabases: kind("a list of VuMark databases", z.array(seededVuMarkDatabase)),
      oauth2ClientCredentials: kind("a list of client credentials", z.array(postedCredential.schema)),
      modelTargetDatasets: kind("a list of Model Target datasets", z.array(postedDataset.schema)),
    };
    return record<Seed>(optional(lists));
  }),
);

import type { StoreFactory } from "./contract-cases.ts";
import { describeDatabaseContract } from "./database-contract.ts";
import { describeOtherRecordsContract } from "./other-records-contract.ts";
import { describeSnapshotContract } from "./snapshot-contract.ts";
import { describeTargetChangesContract } from "./target-changes-contract.ts";
import { describeTargetContract } from "./target-contract.ts";
import { describeTargetCountsContract } from "./target-counts-contract.ts";

/** The whole contract of `Store`: a store that passes it can replace the others. */
export function describeStoreContract(kind: string, open: StoreFactory): void {
  describeDatabaseContract(kind, open);
  describeTargetContract(kind, open);
  describeTargetChangesContract(kind, open);
  describeTargetCountsContract(kind, open);
  describeOtherRecordsContract(kind, open);
  describeSnapshotContract(kind, open);
}

import type { CloudDatabase } from "../schema/cloud-database.ts";
import type { Database, TemplateTarget, VuMarkDatabase } from "../schema/database.ts";
import type { ClientCredential, Dataset } from "../schema/model-target.ts";
import type { Report } from "../schema/report.ts";
import type { Target } from "../schema/target.ts";
import { GLOBAL, type Read, type StoredRecords } from "./store.ts";

/* What is read of a store. */

/** The records of every database. Whoever keeps them sees later changes too. */
export const databases: Read<readonly StoredRecords[]> = { of: "databases", answer: (all) => all };

export const cloudDatabases: Read<readonly CloudDatabase[]> = {
  of: "databases",
  answer: (all) => all.flatMap(({ database }) => (database?.kind === "cloud" ? [database] : [])),
};

export const vuMarkDatabases: Read<readonly VuMarkDatabase[]> = {
  of: "databases",
  answer: (all) => all.flatMap(({ database }) => (database?.kind === "vumark" ? [database] : [])),
};

export const database = (name: string): Read<Database | undefined> => ({
  key: ["databaseName", name],
  answer: (records) => records?.database,
});

/** Targets that are not deleted, or all; by upload date, then id. */
export const targets = (databaseName: string, { deleted } = { deleted: false }): Read<readonly Target[]> => ({
  key: ["databaseName", databaseName],
  answer: (records) => (deleted ? records?.listAllTargets() : records?.listTargets()) ?? [],
});

/** A target that is not deleted. */
export const target = (databaseName: string, targetId: string): Read<Target | undefined> => ({
  key: ["databaseName", databaseName],
  answer: (records) => records?.targets.get(targetId),
});

export const templateTargets = (databaseName: string): Read<readonly TemplateTarget[]> => ({
  key: ["databaseName", databaseName],
  answer: (records) => [...(records?.templates.values() ?? [])],
});

export const templateTarget = (databaseName: string, targetId: string): Read<TemplateTarget | undefined> => ({
  key: ["databaseName", databaseName],
  answer: (records) => records?.templates.get(targetId),
});

export const report = (databaseId: string, file: string): Read<Report | undefined> => ({
  key: ["databaseId", databaseId],
  answer: (records) => records?.reports.get(file),
});

export const datasets: Read<readonly Dataset[]> = {
  key: GLOBAL,
  answer: (records) => [...(records?.datasets.values() ?? [])],
};

export const dataset = (uuid: string): Read<Dataset | undefined> => ({
  key: GLOBAL,
  answer: (records) => records?.datasets.get(uuid),
});

export const credentials: Read<readonly ClientCredential[]> = {
  key: GLOBAL,
  answer: (records) => [...(records?.credentials.values() ?? [])],
};

export const credential = (clientId: string): Read<ClientCredential | undefined> => ({
  key: GLOBAL,
  answer: (records) => records?.credentials.get(clientId),
});

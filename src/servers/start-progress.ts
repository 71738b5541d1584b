/**
 * Called while servers start: with what is being added, how much has been, and how much there is. Targets of a seed file are
 * counted; a state file is measured in megabytes.
 */
export type StartProgress = (what: "targets" | "state", done: number, total: number) => void;

import type { DatasetFamily } from "../../domain/dataset.ts";

/** The scopes of protocol section 9. */
export const EVERYTHING = "modeltargets.all";
export const CLIENT_CREDENTIALS = "oauth2.clientcredentials.all";

/** What each family of datasets asks for; {@link EVERYTHING} stands for all four. */
export const FAMILY_SCOPES: Readonly<
  Record<DatasetFamily, { readonly datasets: string; readonly stateBased: string }>
> = {
  STANDARD: {
    datasets: "modeltargets.standardmodeltarget.all",
    stateBased: "modeltargets.statebasedmodeltarget.all",
  },
  ADVANCED: {
    datasets: "modeltargets.advancedmodeltarget.all",
    stateBased: "modeltargets.advancedstatebasedmodeltarget.all",
  },
};

/** What the fixed client and the fixed user hold. */
export const ALL_SCOPES: readonly string[] = [
  EVERYTHING,
  ...Object.values(FAMILY_SCOPES).flatMap(({ datasets, stateBased }) => [datasets, stateBased]),
  CLIENT_CREDENTIALS,
];

/** The scopes that a space-separated list names. */
export const scopesIn = (list: string): readonly string[] => list.split(" ").filter((scope) => scope !== "");

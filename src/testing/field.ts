import { MockCloudReco } from "../index.ts";

export const { fieldOf } = MockCloudReco.failures;

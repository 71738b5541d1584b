import { closeHosts } from "../../../src/intercept/interception.ts";

/** Outside of the files' realms, as `--import mock-cloud-reco/register` does. */
export default () => closeHosts(["closed.example"], "was refused before all files");

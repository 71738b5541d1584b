import { CLIENTS } from "./samples/every-client/clients.mjs";

const [major = 0] = process.versions.node.split(".").map(Number);
const NEEDS_22 = /^(got 1[56]|undici 8 )/;

/** The names of the clients that this version of Node can load. */
export const namesOfClients = Object.keys(CLIENTS).filter((name) => major >= 22 || !NEEDS_22.test(name));

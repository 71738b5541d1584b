/*
 * What the runners' modules use besides the package's exports. An entry of the package of its own, which package.json does not
 * export: so every module, required or imported, shares one copy of the code and its state.
 */
export { propertyOf } from "../core/general/property.ts";
export { messageOf } from "../core/general/text.ts";
export { callerOf, callingFrame } from "../explain/caller.ts";
export { appendToError, messageIn } from "../explain/errors.ts";
export { Evidence } from "../explain/evidence.ts";
export { explainFailure, explainTimeout, isLeftOver, isTimeout, listed } from "../explain/explanation.ts";
export { resolveFixtureOptions } from "../options/options.ts";

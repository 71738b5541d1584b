/**
 * Whether tests run without time limits, so that `mock.pause()` can wait. No runner can change the limit of a test that is
 * running, so the environment variable `MOCK_CLOUD_RECO_PAUSE` asks for it before.
 */
export const areLimitsLifted = (): boolean => (process.env.MOCK_CLOUD_RECO_PAUSE ?? "") !== "";

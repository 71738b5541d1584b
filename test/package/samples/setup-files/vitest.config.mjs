export default {
  test: { setupFiles: ["mock-cloud-reco/register"], include: ["*.vitest.mjs"], testTimeout: 60_000 },
};

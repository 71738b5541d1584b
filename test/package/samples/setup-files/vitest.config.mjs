export default { test: { setupFiles: ["mock-cloud-reco/register"], include: ["*.vitest.mjs"] } };

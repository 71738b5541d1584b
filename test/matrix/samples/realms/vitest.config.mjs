const project = (name, test) => ({ test: { name, include: ["*.vitest.mjs"], ...test } });

export default {
  test: {
    maxWorkers: 1,
    projects: [
      project("vmThreads with jsdom", { pool: "vmThreads", environment: "jsdom" }),
      project("vmThreads with happy-dom", { pool: "vmThreads", environment: "happy-dom" }),
      project("jsdom", { environment: "jsdom" }),
      project("happy-dom", { environment: "happy-dom" }),
      project("vmThreads", { pool: "vmThreads" }),
      project("vmForks", { pool: "vmForks" }),
    ],
  },
};

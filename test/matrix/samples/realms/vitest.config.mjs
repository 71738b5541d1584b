const project = (name, test) => ({ test: { name, include: ["*.vitest.mjs"], ...test } });

export default {
  test: {
    maxWorkers: 1,
    projects: [
      project("jsdom", { environment: "jsdom" }),
      project("happy-dom", { environment: "happy-dom" }),
      project("vmThreads", { pool: "vmThreads" }),
      project("vmForks", { pool: "vmForks" }),
    ],
  },
};

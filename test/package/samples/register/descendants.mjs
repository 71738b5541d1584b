// Prints what threads and processes get from the service that a mock of this thread answers.
import { execFile, execFileSync, fork } from "node:child_process";
import cluster from "node:cluster";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { MockCloudReco } from "mock-cloud-reco";

const file = "outside.mjs";
const thread = async (options) => (await once(new Worker(`./${file}`, options), "message"))[0];
const forked = async (...args) => (await once(fork(file, ...args), "message"))[0];

const mock = new MockCloudReco();
cluster.setupPrimary({ exec: file });
const env = { PATH: process.env.PATH };
const told = {
  thread: await thread(),
  "thread with options of its own": await thread({ env, execArgv: ["--no-warnings"] }),
  fork: await forked(),
  "fork with arguments and an environment": await forked(["one"], { env }),
  spawned: execFileSync(process.execPath, [file], { encoding: "utf8" }).trim(),
  cluster: (await once(cluster.fork(), "message"))[0],
  grandchild: await new Promise((resolve, reject) => {
    const program = `require("node:child_process").execFileSync(process.execPath, ["${file}"], { stdio: "inherit" })`;
    execFile(process.execPath, ["-e", program], (error, stdout) =>
      error ? reject(error) : resolve(stdout.trim()),
    );
  }),
};
console.log(JSON.stringify({ here: (await fetch(`${mock.urls.target}/summary`)).status, ...told }));
mock.stop();

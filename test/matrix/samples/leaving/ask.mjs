// In a thread or process of its own: prints or posts what it receives from the service.
import { parentPort } from "node:worker_threads";

const messageOf = ({ message, cause }) => `${message} ${cause?.message ?? ""}`;
const answer = await fetch("http://vws.vuforia.com/summary").then((response) => response.text(), messageOf);
if (typeof WorkerGlobalScope !== "undefined" && typeof Deno !== "undefined") self.postMessage(answer);
else if (parentPort !== null) parentPort.postMessage(answer);
else console.log(answer);

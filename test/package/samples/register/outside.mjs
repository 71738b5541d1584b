// Asks the service, and tells its parent, or prints, what happened.
import { parentPort } from "node:worker_threads";

const told = await fetch("https://vws.vuforia.com/summary").then(
  ({ status }) => `reached the service: ${status}`,
  (error) => (error.cause ?? error).message,
);
if (parentPort !== null) parentPort.postMessage(told);
else if (process.send !== undefined) process.send(told);
else console.log(told);
if (process.connected) process.disconnect();

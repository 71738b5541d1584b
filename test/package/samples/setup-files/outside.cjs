// Tells the thread that started this one, or the process, what happened to a request to the service.
const { parentPort } = require("node:worker_threads");

fetch("https://vws.vuforia.com/summary").then(
  ({ status }) => tell(`reached the service: ${status}`),
  ({ cause, message }) => tell(cause?.message ?? message),
);

function tell(what) {
  if (parentPort !== null) parentPort.postMessage(what);
  else process.send(what, () => process.disconnect());
}

// Listens where the service's names lead to, until it is ended.
import http from "node:http";

http
  .createServer((_request, response) => response.end("the listening host"))
  .listen(80, "203.0.113.7", () => console.log("listening"));

import { configure, processCLIArgs, run } from "@japa/runner";

processCLIArgs([]);
configure({ files: ["japa-tests.mjs"] });
run();

export * from "./vuforia-client.mjs";

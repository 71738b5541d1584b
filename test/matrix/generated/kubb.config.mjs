import { defineConfig } from "@kubb/core";
import { pluginClient } from "@kubb/plugin-client";
import { pluginOas } from "@kubb/plugin-oas";
import { pluginTs } from "@kubb/plugin-ts";

export default defineConfig({
  root: ".",
  input: { path: "./document.json" },
  output: { path: "./kubb", format: false, lint: false },
  plugins: [pluginOas(), pluginTs(), pluginClient({ client: "fetch" })],
});

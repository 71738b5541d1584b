import { get } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { attempts } from "../support/network-trap.mjs";
import { failureOf } from "./failures.ts";

test("the trap of all tests notes and refuses names and addresses outside of this machine", async () => {
  const asked = new Promise((_, reject) => get("http://vws.vuforia.com").on("error", reject));
  expect(await failureOf(asked)).toMatchObject({ code: "EOUTSIDE" });
  const connected = new Promise((_, reject) => connect(80, "8.8.8.8").on("error", reject));
  expect(await failureOf(connected)).toMatchObject({ code: "EOUTSIDE" });
  expect(attempts.splice(0)).toEqual(["vws.vuforia.com", "8.8.8.8"]);
});

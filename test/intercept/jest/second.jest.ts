import { testInterception } from "./mock-left-running.ts";

testInterception();

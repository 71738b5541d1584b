import { render } from "preact";
import { Shell } from "./shell.tsx";
import { connect } from "./state/connection.ts";

connect();
const root = document.getElementById("app");
if (root !== null) render(<Shell />, root);

/** Where a request ends: at the mock, with an error, or at the listening host. */
type End = "answered" | "stopped" | "leaves";

interface LeavingClients {
  readonly runtime: "Node" | "Bun" | "Deno";
  readonly names: readonly string[];
  /** Beside a started mock of either mode. */
  readonly mock: End;
  /** With `mock-cloud-reco/register` and no mock. */
  readonly register: End;
  /** What stops it, besides a container without a network and a resolver that names nothing. */
  readonly stoppedBy: string;
  /** When they were tried by hand, if they are too large to be installed for tests. */
  readonly tried?: string;
}

const fetches = { names: ["fetch"], mock: "answered", register: "stopped", stoppedBy: "" } as const;
const leaves = { mock: "leaves", register: "leaves" } as const;
const NO_CHILDREN = "Node's `--permission` without `--allow-child-process`";

/** Clients whose requests reach the service although a mock is started. The guide "Works with" shows them. */
const ALL: readonly LeavingClients[] = [
  { runtime: "Node", ...fetches },
  {
    ...leaves,
    runtime: "Node",
    names: ["impit", "wreq-js"],
    stoppedBy: "Node's `--permission` without `--allow-addons`",
  },
  {
    runtime: "Node",
    names: ["a worker thread"],
    mock: "leaves",
    register: "stopped",
    stoppedBy: "Node's `--permission`, from Node 25",
  },
  {
    runtime: "Node",
    names: ["a child process"],
    mock: "leaves",
    register: "stopped",
    stoppedBy: NO_CHILDREN,
  },
  { ...leaves, runtime: "Node", names: ["curl", "a child with an env of its own"], stoppedBy: NO_CHILDREN },
  {
    ...leaves,
    runtime: "Node",
    names: ["cycletls", "node-curl-impersonate"],
    stoppedBy: NO_CHILDREN,
    tried: "November 2026",
  },
  { runtime: "Bun", ...fetches },
  {
    ...leaves,
    runtime: "Bun",
    names: ["Bun.fetch", "node-fetch", "cross-fetch", "undici fetch", "undici request", "urllib"],
    stoppedBy: "",
  },
  { ...leaves, runtime: "Bun", names: ["curl", "a Worker", "a child process"], stoppedBy: "" },
  { runtime: "Deno", ...fetches },
  { ...leaves, runtime: "Deno", names: ["a Worker"], stoppedBy: "`deno run --deny-net`" },
  {
    ...leaves,
    runtime: "Deno",
    names: ["curl", "a child process"],
    stoppedBy: "`deno run` without `--allow-run`",
  },
];

/** Those that the matrix tries. */
export const LEAVING = ALL.filter(({ tried }) => tried === undefined);

/** The table of the guide. */
export const leavingTable = (): string => {
  const rows = ALL.filter(({ mock }) => mock === "leaves").map((clients) => {
    const { runtime, names, mock, register, stoppedBy, tried } = clients;
    const when = tried === undefined ? "" : ` (tried in ${tried})`;
    return [`${runtime}: ${names.join(", ")}${when}`, mock, register, stoppedBy || "only these"];
  });
  const everywhere = "besides `--network none` and a resolver that names nothing, stopped by";
  const head = ["client", "beside a mock", "with `register`", everywhere];
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |\n`).join("");
};

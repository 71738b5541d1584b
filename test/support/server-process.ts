import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { freePort } from "./free-ports.ts";

export type Role = "target-manager" | "target-api" | "query" | "serve";

/** A server in a process of its own, which can be killed and started again at the same address. */
export class ServerProcess {
  /** Of the three servers of `serve`, in the order target API, query API, target manager. */
  urls: readonly string[] = [];
  private child: ChildProcess | undefined;

  private constructor(
    private readonly command: string,
    readonly role: Role,
    private readonly port: number,
    /** Settings, without the prefix of `serve`. */
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  static async of(command: string, role: Role, environment: Readonly<Record<string, string>>) {
    const server = new ServerProcess(command, role, await freePort(), environment);
    await server.start();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  /** Resolves when it listens. */
  async start(): Promise<void> {
    const isServe = this.role === "serve";
    const options = isServe ? ["--json"] : ["--port", String(this.port)];
    const settings = Object.entries({ LOG_LEVEL: "error", ...this.environment });
    const named = settings.map(([name, value]) => [isServe ? `MOCK_CLOUD_RECO_${name}` : name, value]);
    const child = spawn(process.execPath, [this.command, this.role, ...options], {
      env: { ...process.env, ...Object.fromEntries(named) },
      stdio: ["ignore", "pipe", "ignore"],
    });
    this.child = child;
    const [said] = await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
    if (!(said instanceof Buffer)) throw new Error(`${this.role} ended with ${said}`);
    if (this.role !== "serve") return;
    const { urls }: { urls: Record<"target" | "query" | "manager", string> } = JSON.parse(said.toString());
    this.urls = [urls.target, urls.query, urls.manager];
  }

  async kill(): Promise<void> {
    const { child } = this;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }
}

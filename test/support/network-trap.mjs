// Refuses every connection and every look-up that would leave this machine, and notes them. A setup file of all tests, and
// preloaded by the processes that they start.
import dns from "node:dns";
import net from "node:net";

/** Names and addresses that are reserved for documentation and tests, and this machine. */
const HARMLESS =
  /^$|^localhost$|\.(localhost|test|example|invalid)$|^(.+\.)?example\.(com|net|org)$|^127\.|^::1$|^0\.0\.0\.0$|^::$|^(192\.0\.2|198\.51\.100|203\.0\.113)\./;

const KEY = Symbol.for("mock-cloud-reco.network-trap");

/** The hosts outside that something tried to reach. */
export const attempts = net[KEY] ?? install();

function install() {
  const noted = [];
  const refused = (host) => {
    if (typeof host !== "string" || HARMLESS.test(host)) return undefined;
    noted.push(host);
    return Object.assign(new Error(`a test tried to reach ${host}`), { code: "EOUTSIDE" });
  };
  const { lookup } = dns;
  dns.lookup = function (host, ...rest) {
    const error = refused(host);
    const done = rest.at(-1);
    if (error === undefined || typeof done !== "function")
      return Reflect.apply(lookup, this, [host, ...rest]);
    return setImmediate(() => done(error));
  };
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (...args) {
    const [options] = Array.isArray(args[0]) ? args[0] : args;
    const host = typeof options === "object" ? options.host : args[1];
    const error = typeof host === "string" && net.isIP(host) !== 0 ? refused(host) : undefined;
    if (error === undefined) return Reflect.apply(connect, this, args);
    setImmediate(() => this.destroy(error));
    return this;
  };
  process.on("exit", () => {
    if (noted.length === 0) return;
    console.error(`tried to reach ${noted.join(", ")}`);
    process.exitCode = 99;
  });
  net[KEY] = noted;
  return noted;
}

import { findNodeProcess } from "./node-process.ts";

/** A proxy that an environment variable names. */
export interface EnvironmentProxy {
	/** The variable, such as `HTTP_PROXY`. */
	readonly variable: string;
	/** Its host and port, without credentials; `undefined` if the variable is no URL. */
	readonly host: string | undefined;
}

/** The proxy through which Node's `fetch` requests a URL; `undefined` if it connects to the host itself. */
export function findEnvironmentProxy({ protocol, hostname, port }: URL): EnvironmentProxy | undefined {
	if (!isActive()) return undefined;
	// As Node does it, https without a proxy of its own uses that of http.
	const found = (protocol === "https:" && findVariable("HTTPS_PROXY")) || findVariable("HTTP_PROXY");
	if (found === undefined) return undefined;
	if (isExcluded(hostname, port || (protocol === "https:" ? "443" : "80"))) return undefined;
	const { name, value } = found;
	return { variable: name, host: (URL.canParse(value) && new URL(value).host) || undefined };
}

/** A proxy in words. */
export function describeProxy({ variable, host }: EnvironmentProxy): string {
	return `the proxy in ${variable}${host === undefined ? "" : ` (${host})`}`;
}

/** Whether Node reads the variables, which it does only if told to. */
function isActive(): boolean {
	const { execArgv = [], env = {} } = findNodeProcess() ?? {};
	const flags = [...execArgv, ...(env["NODE_OPTIONS"] ?? "").split(/\s+/)];
	return env["NODE_USE_ENV_PROXY"] === "1" || flags.includes("--use-env-proxy");
}

/** A variable that may be written in lower case, which comes first: there an empty one hides the other. */
function findVariable(upper: string): { name: string; value: string } | undefined {
	const env = findNodeProcess()?.env ?? {};
	const name = env[upper.toLowerCase()] === undefined ? upper : upper.toLowerCase();
	const value = env[name] ?? "";
	return value === "" ? undefined : { name, value };
}

/** Whether `NO_PROXY` lists a host, or a domain above it, as `fetch` of Node compares them. */
function isExcluded(hostname: string, port: string): boolean {
	const list = findVariable("NO_PROXY")?.value ?? "";
	if (list === "*") return true;
	const entries = list
		.toLowerCase()
		.split(/[\s,]+/)
		.filter((entry) => entry !== "");
	return entries.some((entry) => {
		const [, name = entry, ofPort = port] = /^(.+):(\d+)$/.exec(entry) ?? [];
		return ofPort === port && `.${hostname}`.endsWith(`.${name.replace(/^\*?\./, "")}`);
	});
}

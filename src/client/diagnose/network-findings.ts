import { isBrowser, readEnvironment } from "../../runtime.ts";
import { isLoopback } from "../../signing/loopback.ts";
import type { DiagnosisFinding } from "./diagnosis.ts";
import type { Unresponded } from "./probe.ts";

type Description = Pick<DiagnosisFinding, "cause" | "certainty" | "message" | "fix">;

/** What else is known where a request was not answered. */
interface Circumstances {
	/** The time that the request had, in milliseconds. */
	readonly timeoutMs: number;
	/** Whether the address has answered another one. */
	readonly hasAnswers: boolean;
}

/** Why a request was not answered, from what the runtime says of it. */
export function describeFailure(ending: Unresponded, circumstances: Circumstances): DiagnosisFinding {
	return { ...describe(ending, circumstances), isBlocking: true };
}

function describe({ failure, where, request }: Unresponded, circumstances: Circumstances): Description {
	if (failure.kind === "timed_out") return describeSilence(where, circumstances.timeoutMs);
	if (failure.kind === "too_large") return describeFlood(where, failure.response?.status);
	const { cause } = failure;
	const url = new URL(request.url);
	const code = cause !== undefined && "code" in cause ? String(cause.code) : "";
	const said = `${code} ${failure.words}`;
	const rule = RULES.find(({ pattern }) => pattern.test(said));
	if (rule !== undefined) return rule.describe(url, code);
	// Browsers tell a page nothing of why a request failed.
	if (code === "" && isBrowser()) return describeBrowser(where, circumstances.hasAnswers);
	return describeBroken(where, url, code);
}

interface Rule {
	/** Matches the error's code and words: the codes of Node and Bun, the words of Deno. */
	readonly pattern: RegExp;
	readonly describe: (url: URL, code: string) => Description;
}

const RULES: readonly Rule[] = [
	{
		pattern: /^(ENOTFOUND|EAI_AGAIN|EAI_NODATA|DNSResolveFailed) |\bdns error\b/,
		describe: ({ hostname }, code) => ({
			cause: "dns_failed",
			certainty: "certain",
			message: `The name ${hostname} could not be resolved.`,
			fix:
				code === "EAI_AGAIN"
					? `The name server does not answer: check this machine's network and DNS.${proxyHint()}`
					: `Check the spelling of baseUrl, and whether the name is only known inside a VPN or a cluster.${proxyHint()}`,
		}),
	},
	{
		pattern: /^(ECONNREFUSED|ConnectionRefused) |\bconnection refused\b/i,
		describe: (url) => ({
			cause: "connection_refused",
			certainty: "certain",
			message: `Nothing listens at ${url.host}.`,
			fix: isLoopback(url.hostname)
				? "Start the gateway, or check the port; inside a container, localhost is the container itself."
				: `Check the host and port of baseUrl, and whether the gateway is up.${proxyHint()}`,
		}),
	},
	{
		pattern:
			/^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT) |\bunreachable\b|tcp connect error/i,
		describe: (url) => ({
			cause: "host_unreachable",
			certainty: "certain",
			message: `No connection to ${url.host} could be made.`,
			fix: `Check the VPN, and whether a firewall lets this machine out to that host and port.${proxyHint()}`,
		}),
	},
	{
		pattern: /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|InvalidContentType|does the server speak TLS/i,
		describe: (url) => ({
			cause: "wrong_scheme",
			certainty: "certain",
			message: `${url.host} does not speak TLS, and baseUrl starts with https.`,
			fix: "Let baseUrl start with http if the gateway is on this machine; otherwise use the port that speaks TLS.",
		}),
	},
	{
		pattern: /^\w*(CERT|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA)\w* |\bcertificate\b/i,
		describe: (url, code) => ({
			cause: "certificate_rejected",
			certainty: "certain",
			message: `The certificate of ${url.hostname} was not accepted${code === "" ? "" : ` (${code})`}.`,
			fix: certificateFix(code),
		}),
	},
	{
		pattern: /^(EPROTO|ERR_SSL_\w+|ERR_TLS_\w+) /,
		describe: (url, code) => ({
			cause: "wrong_scheme",
			certainty: "likely",
			message: `TLS with ${url.host} could not be set up (${code}).`,
			fix: "Check that this port speaks TLS and that no proxy stands in between; if it is the gateway's own, ask which TLS versions it takes.",
		}),
	},
	{
		pattern: /^ ?(bad port$|.*\brequests to port \d+ are blocked)/i,
		describe: ({ port }) => ({
			cause: "port_blocked",
			certainty: "certain",
			message: `fetch refuses port ${port}, which belongs to another protocol.`,
			fix: "Let the gateway listen on another port, such as 8080.",
		}),
	},
	{
		pattern: /^HPE_|does not match the HTTP|invalid HTTP version/i,
		describe: (url) => ({
			cause: "wrong_scheme",
			certainty: "likely",
			message: `What listens at ${url.host} does not speak HTTP.`,
			fix: "Check the port of baseUrl, and whether it should start with https.",
		}),
	},
];

function describeSilence(where: string, timeoutMs: number): Description {
	return {
		cause: "no_response",
		certainty: "certain",
		message: `${where} was not answered within ${timeoutMs} ms.`,
		fix: "Check that the gateway is up and that no firewall drops what it sends; if it is only slow, raise attemptTimeoutMs.",
	};
}

function describeFlood(where: string, status: number | undefined): Description {
	return {
		cause: "not_the_gateway",
		certainty: "likely",
		message: `${where} was answered ${status ?? ""} with more than maxResponseBytes.`,
		fix: "Check baseUrl: no answer of the gateway to this request is so large.",
	};
}

function describeBrowser(where: string, hasAnswers: boolean): Description {
	return {
		cause: "blocked_by_browser",
		certainty: "likely",
		message: hasAnswers
			? `The browser did not let ${where} through, though unsigned calls are answered: the gateway does not allow the signed headers to this page.`
			: `The browser did not let ${where} through, and does not tell the page why: offline, a name, a certificate, or CORS.`,
		fix: "Read the browser's own console. For CORS, let the gateway allow this origin and X-App-Id, X-Timestamp, X-Nonce and Authorization, or call it from your server.",
	};
}

function describeBroken(where: string, url: URL, code: string): Description {
	return {
		cause: "connection_broken",
		certainty: "likely",
		message: `The connection ended before ${where} was answered${code === "" ? "" : ` (${code})`}.`,
		fix:
			url.protocol === "http:"
				? "Check whether the gateway is up, and whether the port speaks TLS, so that baseUrl must start with https; then look for a proxy or firewall that ends connections."
				: "Check whether the gateway is up, then look for a proxy or firewall that ends connections, and at what the gateway logs.",
	};
}

function certificateFix(code: string): string {
	if (/EXPIRED|NOT_YET_VALID/.test(code)) {
		return "Check this machine's date first; if it is right, the certificate must be renewed.";
	}
	if (/ALTNAME|HOSTNAME/.test(code)) return "Use the host name that the certificate is for in baseUrl.";
	return "If a company's proxy or the gateway's own authority issued it, let Node trust that: NODE_EXTRA_CA_CERTS with its file, or --use-system-ca. Do not turn the check off.";
}

/** Node's `fetch` goes past the proxy that everything else on the machine uses. */
function proxyHint(): string {
	const name = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"].find(
		(variable) => readEnvironment(variable) !== undefined,
	);
	if (name === undefined || readEnvironment("NODE_USE_ENV_PROXY") !== undefined) return "";
	return ` ${name} is set, but Node's fetch only uses it with NODE_USE_ENV_PROXY=1.`;
}

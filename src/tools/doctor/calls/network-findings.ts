import { isBrowser, readEnvironment } from "../../../library/host.ts";
import { isLoopback } from "../../../library/signing/loopback.ts";
import type { EnvironmentProxy } from "../../environment-proxy.ts";
import type { DiagnosisFinding, FindingDescription } from "./diagnosis.ts";
import type { Unresponded } from "./probe.ts";
import { describeProxied } from "./proxy-findings.ts";

/** What else is known if a request got no response. */
interface Circumstances {
	/** The request's time limit, in milliseconds. */
	readonly timeoutMs: number;
	/** Whether another request got a response from the address. */
	readonly hasResponses: boolean;
	/** The proxy of the environment that the request went through. */
	readonly proxy?: EnvironmentProxy | undefined;
}

/** Why a request got no response, according to the runtime's error. */
export function explainNoResponse(ending: Unresponded, circumstances: Circumstances): DiagnosisFinding {
	const description = describe(ending, circumstances);
	const { proxy } = circumstances;
	return {
		...(proxy === undefined ? description : describeProxied(ending, description, proxy)),
		isBlocking: true,
	};
}

function describe(
	{ failure, status, where, url: requested }: Unresponded,
	circumstances: Circumstances,
): FindingDescription {
	if (failure.kind === "timed_out") return describeTimeout(where, circumstances.timeoutMs);
	if (failure.kind === "too_large") return describeTooLarge(where, status);
	const { code } = failure;
	const url = new URL(requested);
	const codeAndMessage = `${code} ${failure.rawMessage}`;
	const rule = RULES.find(({ pattern }) => pattern.test(codeAndMessage));
	if (rule !== undefined) return rule.describe(url, code);
	// Browsers do not report to a page why a request failed.
	if (BROWSER_MESSAGE.test(failure.rawMessage) || (code === "" && isBrowser())) {
		return describeBrowser(where, circumstances.hasResponses);
	}
	return describeBroken(where, url, code);
}

interface NetworkRule {
	/** Matches the error's code and message: the codes of Node and Bun, the messages of Deno. */
	readonly pattern: RegExp;
	readonly describe: (url: URL, code: string) => FindingDescription;
}

/** How Chromium, Safari and Firefox say that they keep a response, or its absence, from a page. */
const BROWSER_MESSAGE = /^(Failed to fetch|Load failed|NetworkError when attempting to fetch resource)\b/;

const RULES: readonly NetworkRule[] = [
	// The first ones are about the arguments of `fetch`, whose messages may quote anything.
	{
		pattern: /\b(instance ?of|of type) "?AbortSignal\b/i,
		describe: () => ({
			cause: "argument_rejected",
			certainty: "certain",
			message:
				"fetch rejects the AbortSignal, which is of another environment: jsdom, happy-dom and polyfills replace the global AbortController and may keep Node's fetch. Nothing was sent.",
			fix: "Take both from one environment: run this code in the environment node of your test runner, remove the polyfill, or give the client a fetch that belongs to the AbortController.",
		}),
	},
	{
		pattern: /^ agent\.dispatch is not a function|^UND_ERR_INVALID_ARG invalid on[A-Z]\w+ method$/,
		describe: () => ({
			cause: "argument_rejected",
			certainty: "certain",
			message:
				"fetch rejects its dispatcher, such as an undici Agent or ProxyAgent, which is of another version of undici than fetch. Nothing was sent.",
			fix: "Take fetch and the Agent from the same undici, and give the client that fetch; or install the version of Node's own fetch, which is process.versions.undici.",
		}),
	},
	{
		pattern: /^UND_ERR_(INVALID_ARG|NOT_SUPPORTED) /,
		describe: (_url, code) => ({
			cause: "argument_rejected",
			certainty: "certain",
			message: `fetch rejects the request before it is sent (${code}).`,
			fix: "Check what your fetch option adds to the request: transportMessage of the error of any call says what is rejected.",
		}),
	},
	{
		pattern: /\bCross-Origin Request Blocked\b/i,
		describe: (url) => ({
			cause: "blocked_by_browser",
			certainty: "certain",
			message: `CORS: the page may not read the response of ${url.host}, which doesn't allow the page's origin.`,
			fix: `${CORS_FIX} In a test, use the environment node instead of happy-dom.`,
		}),
	},
	{
		pattern: /^(ERR_ACCESS_DENIED|EMFILE|ENFILE|EADDRNOTAVAIL) |\brequires net access\b/i,
		describe: ({ host }, code) => ({
			cause: "no_connection_opened",
			certainty: "certain",
			message: `This process couldn't open a connection to ${host}${code === "" ? "" : ` (${code})`}; nothing was sent.`,
			fix: openingFix(code),
		}),
	},
	{
		pattern: /^(ENOTFOUND|EAI_AGAIN|EAI_NODATA|DNSResolveFailed) |\bdns error\b|\bgetaddrinfo E/,
		describe: ({ hostname }, code) => ({
			cause: "dns_failed",
			certainty: "certain",
			message: `The name ${hostname} couldn't be resolved.`,
			fix:
				code === "EAI_AGAIN"
					? `The name server doesn't respond: check this machine's network and DNS.${proxyHint()}`
					: `Check the spelling of baseUrl, and whether the name is only known inside a VPN or a cluster.${proxyHint()}`,
		}),
	},
	{
		pattern: /^(ECONNREFUSED|ConnectionRefused) |\bconnect(ion refused| ECONNREFUSED)\b/i,
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
			fix: `Check the VPN, and whether a firewall blocks that host and port.${proxyHint()}`,
		}),
	},
	{
		pattern: /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|InvalidContentType|does the server speak TLS/i,
		describe: (url) => ({
			cause: "wrong_scheme",
			certainty: "certain",
			message: `${url.host} doesn't speak TLS, and baseUrl starts with https.`,
			fix: "If the gateway is on this machine, use http in baseUrl; otherwise use the port that speaks TLS.",
		}),
	},
	{
		pattern: /^\w*(CERT|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA)\w* |\bcertificate\b/i,
		describe: (url, code) => ({
			cause: "certificate_rejected",
			certainty: "certain",
			message: `The certificate of ${url.hostname} wasn't accepted${code === "" ? "" : ` (${code})`}.`,
			fix: certificateFix(code),
		}),
	},
	{
		pattern: /^(EPROTO|ERR_SSL_\w+|ERR_TLS_\w+) /,
		describe: (url, code) => ({
			cause: "wrong_scheme",
			certainty: "likely",
			message: `TLS with ${url.host} couldn't be set up (${code}).`,
			fix: "Check that this port speaks TLS and that no proxy is in between; if it is the gateway's own port, ask which TLS versions it accepts.",
		}),
	},
	{
		pattern: /^ ?(bad port$|.*\brequests to port \d+ are blocked)/i,
		describe: ({ port }) => ({
			cause: "port_blocked",
			certainty: "certain",
			message: `fetch blocks port ${port}, which belongs to another protocol.`,
			fix: "Let the gateway listen on another port, such as 8080.",
		}),
	},
	{
		pattern: /^HPE_|does not match the HTTP|invalid HTTP version/i,
		describe: (url) => ({
			cause: "wrong_scheme",
			certainty: "likely",
			message: `The server at ${url.host} doesn't speak HTTP.`,
			fix: "Check the port of baseUrl, and whether it should start with https.",
		}),
	},
];

const CORS_FIX =
	"For CORS, call the gateway from your server, or let it allow this origin and the headers Authorization, Content-Type, X-App-Id, X-Nonce and X-Timestamp.";

function describeTimeout(where: string, timeoutMs: number): FindingDescription {
	return {
		cause: "no_response",
		certainty: "certain",
		message: `${where} got no response within ${timeoutMs} ms.`,
		fix: "Check that the gateway is up and that no firewall drops its packets; if it is only slow, raise attemptTimeoutMs.",
	};
}

function describeTooLarge(where: string, status: number | undefined): FindingDescription {
	return {
		cause: "not_the_gateway",
		certainty: "likely",
		message: `${where} got ${status ?? "a response"} with a body larger than maxResponseBytes.`,
		fix: "Check baseUrl: the gateway's response to this request is never so large.",
	};
}

function describeBrowser(where: string, hasResponses: boolean): FindingDescription {
	return {
		cause: "blocked_by_browser",
		certainty: "likely",
		message: hasResponses
			? `CORS: the browser blocked ${where}, though unsigned calls get responses: the gateway doesn't allow this page to send the signed headers.`
			: `The browser blocked ${where} and hides the reason from the page: CORS, or no network, DNS or a certificate.`,
		fix: `Read the browser's console. ${CORS_FIX}`,
	};
}

function describeBroken(where: string, url: URL, code: string): FindingDescription {
	return {
		cause: "connection_broken",
		certainty: "likely",
		message: `The connection ended before ${where} got a response${code === "" ? "" : ` (${code})`}.`,
		fix:
			url.protocol === "http:"
				? "Check whether the gateway is up, and whether the port speaks TLS, which needs https in baseUrl; then look for a proxy or firewall that ends connections."
				: "Check whether the gateway is up, then look for a proxy or firewall that ends connections, and read the gateway's logs.",
	};
}

function openingFix(code: string): string {
	if (/^E[MN]FILE$/.test(code))
		return "The process has too many files and connections open: close some, or raise the limit (ulimit -n).";
	if (code === "EADDRNOTAVAIL")
		return "No address or port is free to connect from: check whether this machine has an address of that family (IPv6), and how many connections are open.";
	return "The runtime doesn't allow it: start the process with --allow-net.";
}

function certificateFix(code: string): string {
	if (/EXPIRED|NOT_YET_VALID/.test(code)) {
		return "Check this machine's date first; if it is correct, the certificate must be renewed.";
	}
	if (/ALTNAME|HOSTNAME/.test(code)) return "Use the host name that the certificate is for in baseUrl.";
	return "If a company's proxy or the gateway's own authority issued it, let Node trust it: set NODE_EXTRA_CA_CERTS to its file, or use --use-system-ca. Don't turn the check off.";
}

/** Node's `fetch` ignores the proxy settings that other programs use. */
function proxyHint(): string {
	const name = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"].find(
		(variable) => readEnvironment(variable) !== undefined,
	);
	if (name === undefined || readEnvironment("NODE_USE_ENV_PROXY") !== undefined) return "";
	return ` ${name} is set, but Node's fetch only uses it with NODE_USE_ENV_PROXY=1.`;
}

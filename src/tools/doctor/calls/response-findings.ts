import type { DiagnosisFinding, FindingDescription } from "./diagnosis.ts";
import { hasEnvelope, hasForeignChallenge, hasSuccessStatus, type Responded } from "./probe.ts";

/** What a response was, as far as anybody can see. */
export function describeProbeResponse({ where, read }: Responded): string {
	const { status, isPage } = read;
	const body = hasEnvelope(read)
		? " in the error envelope"
		: isPage
			? " with a web page"
			: hasSuccessStatus(read)
				? ""
				: " without an error envelope";
	return `${where} got ${status || "a redirect"}${body}`;
}

/** Why a response is not the gateway's response to this request. */
export function describeUnusable(ending: Responded): DiagnosisFinding {
	const rule = RULES.find(({ matches }) => matches(ending)) ?? UNEXPECTED;
	return { ...rule.describe(ending, describeProbeResponse(ending)), isBlocking: true };
}

interface ResponseRule {
	readonly matches: (ending: Responded) => boolean;
	readonly describe: (ending: Responded, result: string) => FindingDescription;
}

const isStatus =
	(...statuses: readonly number[]) =>
	({ read }: Responded): boolean =>
		statuses.includes(read.status);

/** The first rule that matches describes a response. */
const RULES: readonly ResponseRule[] = [
	{
		matches: ({ read: { status } }) => status === 0 || (status >= 300 && status < 400),
		describe: describeRedirect,
	},
	{
		matches: ({ read }) => read.status === 407 || hasForeignChallenge(read),
		describe: (_ending, result) => ({
			cause: "proxy_authentication",
			certainty: "likely",
			message: `${result}: something in front of the gateway requires its own credentials.`,
			fix: "Let that proxy forward the gateway's paths without a check: their Authorization header has the signature, so it can't have a password too.",
		}),
	},
	{
		matches: ({ read }) => (read.status === 401 || read.status === 403) && hasEnvelope(read),
		describe: (_ending, result) => ({
			cause: "wrong_base_path",
			certainty: "likely",
			message: `${result}: the gateway itself wants a signature there, or this is another path than that of /health, because baseUrl is wrong.`,
			fix: "Compare baseUrl with that of the account, and ask whether the gateway's /health needs a signature.",
		}),
	},
	{
		matches: isStatus(401, 403),
		describe: (_ending, result) => ({
			cause: "access_denied",
			certainty: "likely",
			message: `${result}: something in front of the gateway, such as a firewall or a VPN, denies access to this machine, or the gateway does, without its envelope.`,
			fix: "Ask whether the gateway allows this network, and compare with a request from a machine where it works.",
		}),
	},
	{
		matches: isStatus(429),
		describe: ({ read: { retryAfterMs } }, result) => ({
			cause: "rate_limited",
			certainty: "certain",
			message: `${result}: too many requests${retryAfterMs === undefined ? "" : `, for another ${Math.ceil(retryAfterMs / 1000)} s`}.`,
			fix: "Wait, then diagnose again; the client itself waits and retries.",
		}),
	},
	{
		matches: ({ read }) => read.status >= 500,
		describe: ({ read }, result) => {
			const { requestId } = read;
			return {
				cause: "gateway_failing",
				certainty: hasEnvelope(read) ? "certain" : "likely",
				message: hasEnvelope(read)
					? `${result}: the gateway reports that it failed.`
					: `${result}: a proxy responds because the gateway behind it is down or fails, or the gateway fails without its envelope.`,
				fix: `Read the gateway's logs${requestId === undefined ? "" : ` for request ${requestId}`}, then diagnose again.`,
			};
		},
	},
	{
		matches: ({ read, url }) => read.status === 400 && /https/i.test(read.text) && url.startsWith("http:"),
		describe: (_ending, result) => ({
			cause: "wrong_scheme",
			certainty: "likely",
			message: `${result}, and the body mentions HTTPS: the port speaks TLS, and baseUrl starts with http.`,
			fix: "Use https in baseUrl.",
		}),
	},
	{
		matches: isStatus(404, 405),
		describe: ({ baseUrl }, result) => ({
			cause: "wrong_base_path",
			certainty: "likely",
			message: `${result}: the host responds, but the gateway isn't at this path, or it has no such path.`,
			fix:
				new URL(baseUrl).pathname !== "/"
					? "Check the path of baseUrl: it must be the part before /health."
					: "Check the host of baseUrl, and whether the gateway is below a path, which must then be part of baseUrl.",
		}),
	},
	{
		matches: ({ read }) => read.isPage,
		describe: (_ending, result) => ({
			cause: "html_response",
			certainty: "likely",
			message: `${result}: a proxy, a login or a console responds instead of the gateway, or the gateway has pages for its errors.`,
			fix: "Open the address in a browser to see the page, and set baseUrl to the address of the API.",
		}),
	},
	{
		matches: ({ read }) => hasSuccessStatus(read),
		describe: (_ending, result) => ({
			cause: "not_the_gateway",
			certainty: "likely",
			message: `${result}, but not in the gateway's envelope: another service or a stub responds here.`,
			fix: "Check the host and port of baseUrl.",
		}),
	},
];

const UNEXPECTED: Pick<ResponseRule, "describe"> = {
	describe: (_ending, result) => ({
		cause: "unexpected_response",
		certainty: "likely",
		message: `${result}, a status that the specification doesn't name.`,
		fix: "Look at the raw response, e.g. with curl, and ask the gateway's operator.",
	}),
};

/** A signature is accepted, but an error has no envelope. */
export function describeUnwrapped(ending: Responded): DiagnosisFinding {
	return {
		cause: "errors_without_envelope",
		certainty: "certain",
		isBlocking: false,
		message: `${describeProbeResponse(ending)}, and a wrong signature gets another response: the signature is checked, and the errors of the gateway, or of a proxy in front of it, have no envelope.`,
		fix: "Ask for errors in the envelope of section 2.2; until then the client's errors have a status, but no code, message or details of the gateway.",
	};
}

/** A signature is accepted, but everything is unknown at this path. */
export function describeNoKnownPath(ending: Responded, unhealthy: Responded): DiagnosisFinding {
	return {
		cause: "wrong_base_path",
		certainty: "likely",
		isBlocking: true,
		message: `The signature is accepted, but no known path was found: ${describeProbeResponse(ending)}, the same as a path that doesn't exist, and ${describeProbeResponse(unhealthy)}. The gateway authenticates before it looks for the path, and baseUrl is wrong, or both are as they should be here.`,
		fix: "Compare the path of baseUrl with that of the account.",
	};
}

function describeRedirect({ read, url, baseUrl }: Responded, result: string): FindingDescription {
	const target = readTarget(read.header("Location"), url, url.slice(baseUrl.length));
	const login = "If it is a login page, something in front of the gateway requires its own credentials.";
	return {
		cause: "redirected",
		certainty: "certain",
		message: `${result}${target === undefined ? "" : ` to ${target.origin}`}. Redirects aren't followed, because they would forward the signature.`,
		fix:
			target === undefined
				? `Set baseUrl to the final address, which curl -I shows. ${login}`
				: `Set baseUrl to ${target.baseUrl ?? `the final address at ${target.origin}`}. ${target.baseUrl === undefined ? login : ""}`.trim(),
	};
}

/** The target of a redirect. Its base URL is only known if the target ends with the same path; any other path is hidden. */
function readTarget(
	location: string | undefined,
	url: string,
	path: string,
): { origin: string; baseUrl: string | undefined } | undefined {
	const target = location === undefined ? undefined : resolveUrl(location, url);
	if (target === undefined) return undefined;
	const { origin, pathname } = target;
	const base = pathname.endsWith(path) ? pathname.slice(0, -path.length) : undefined;
	const isPlain = base !== undefined && /^(\/[\w.~-]{1,40}){0,4}$/.test(base);
	return { origin, baseUrl: isPlain ? origin + base : undefined };
}

/** Without `URL.canParse`, which Workers of an old date lack. */
function resolveUrl(location: string, url: string): URL | undefined {
	try {
		return new URL(location, url);
	} catch {
		return undefined;
	}
}

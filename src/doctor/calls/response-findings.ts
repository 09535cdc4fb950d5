import { shownRequestId } from "../../errors.ts";
import type { DiagnosisFinding } from "./diagnosis.ts";
import { hasEnvelope, hasForeignChallenge, type Responded } from "./probe.ts";

type Description = Pick<DiagnosisFinding, "cause" | "certainty" | "message" | "fix">;

/** Why a response is not the gateway's response to this request. */
export function describeUnusable(ending: Responded): DiagnosisFinding {
	return { ...describe(ending), isBlocking: true };
}

function describe(ending: Responded): Description {
	const { where, read, request } = ending;
	const { status } = read;
	const result = `${where} got ${status || "a redirect"}`;
	if (status === 0 || (status >= 300 && status < 400)) return describeRedirect(ending, result);
	if (status === 407 || hasForeignChallenge(read)) return describeProxyCredentials(result);
	if (status === 401 || status === 403) {
		return {
			cause: "access_denied",
			certainty: "likely",
			message: `${result}: something in front of the gateway, such as a firewall or a VPN, denies access to this machine.`,
			fix: "Ask whether the gateway allows this network, and compare with a request from a machine where it works.",
		};
	}
	if (status === 429) return describeLimit(read.retryAfterMs, result);
	if (status >= 500) return describeServerFailure(ending, result);
	if (status === 400 && /https/i.test(read.text ?? "") && request.url.startsWith("http:")) {
		return {
			cause: "wrong_scheme",
			certainty: "likely",
			message: `${result} with a body that mentions HTTPS: the port speaks TLS, and baseUrl starts with http.`,
			fix: "Use https in baseUrl.",
		};
	}
	if (status === 404 || status === 405) return describeWrongPath(ending, result);
	if (read.isPage) {
		return {
			cause: "html_response",
			certainty: "likely",
			message: `${result} with a web page: a proxy, a login or a console responds instead of the gateway.`,
			fix: "Open the address in a browser to see the page, and set baseUrl to the address of the API.",
		};
	}
	if (status >= 200 && status < 300) {
		return {
			cause: "not_the_gateway",
			certainty: "likely",
			message: `${result}, but not in the gateway's envelope: another service or a stub responds here.`,
			fix: "Check the host and port of baseUrl.",
		};
	}
	return {
		cause: "unexpected_response",
		certainty: "likely",
		message: `${result}, a status that the specification does not name.`,
		fix: "Look at the raw response, e.g. with curl, and ask the gateway's operator.",
	};
}

function describeRedirect({ read, request, path }: Responded, result: string): Description {
	const target = readTarget(read.headers.get("Location"), request.url, path);
	const login = "If it is a login page, something in front of the gateway requires its own credentials.";
	return {
		cause: "redirected",
		certainty: "certain",
		message: `${result}${target === undefined ? "" : ` to ${target.origin}`}. Redirects are not followed, because they would forward the signature.`,
		fix:
			target === undefined
				? `Set baseUrl to the final address, which curl -I shows. ${login}`
				: `Set baseUrl to ${target.baseUrl ?? `the final address at ${target.origin}`}. ${target.baseUrl === undefined ? login : ""}`.trim(),
	};
}

/** The target of a redirect. Its base URL is only known if the target ends with the same path; any other path is hidden. */
function readTarget(
	location: string | null,
	url: string,
	path: string,
): { origin: string; baseUrl: string | undefined } | undefined {
	if (location === null || !URL.canParse(location, url)) return undefined;
	const { origin, pathname } = new URL(location, url);
	const base = pathname.endsWith(path) ? pathname.slice(0, -path.length) : undefined;
	const isPlain = base !== undefined && /^(\/[\w.~-]{1,40}){0,4}$/.test(base);
	return { origin, baseUrl: isPlain ? origin + base : undefined };
}

function describeProxyCredentials(result: string): Description {
	return {
		cause: "proxy_authentication",
		certainty: "likely",
		message: `${result}: something in front of the gateway requires its own credentials.`,
		fix: "Let that proxy forward the gateway's paths without a check: their Authorization header has the signature, so it cannot have a password too.",
	};
}

function describeLimit(retryAfterMs: number | undefined, result: string): Description {
	return {
		cause: "rate_limited",
		certainty: "certain",
		message: `${result}: too many requests${retryAfterMs === undefined ? "" : `, for another ${Math.ceil(retryAfterMs / 1000)} s`}.`,
		fix: "Wait, then diagnose again; the client itself waits and retries.",
	};
}

function describeServerFailure({ read }: Responded, result: string): Description {
	const isOwn = hasEnvelope(read);
	const requestId = shownRequestId(read.givenRequestId);
	return {
		cause: "gateway_failing",
		certainty: isOwn ? "certain" : "likely",
		message: isOwn
			? `${result}, in the gateway's own envelope.`
			: `${result} without an error envelope: a proxy responds, and the gateway behind it is down or fails.`,
		fix: `Read the gateway's logs${requestId === undefined ? "" : ` for request ${requestId}`}, then diagnose again.`,
	};
}

function describeWrongPath({ request }: Responded, result: string): Description {
	return {
		cause: "wrong_base_path",
		certainty: "likely",
		message: `${result}: the host responds, but the gateway is not at this path.`,
		fix:
			request.base.path !== "/"
				? "Check the path of baseUrl: it must be the part before /health."
				: "Check the host of baseUrl, and whether the gateway is below a path, which must then be part of baseUrl.",
	};
}

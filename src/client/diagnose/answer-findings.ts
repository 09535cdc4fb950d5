import type { DiagnosisFinding } from "./diagnosis.ts";
import { asksForCredentials, hasEnvelope, type Responded } from "./probe.ts";

type Description = Pick<DiagnosisFinding, "cause" | "certainty" | "message" | "fix">;

/** Why an answer is not one that the gateway gives to this request. */
export function describeUnusable(ending: Responded): DiagnosisFinding {
	return { ...describe(ending), isBlocking: true };
}

function describe(ending: Responded): Description {
	const { where, answer, read, request } = ending;
	const { status } = read;
	const said = `${where} was answered ${status || "with a redirect"}`;
	if (status === 0 || (status >= 300 && status < 400)) return describeRedirect(ending, said);
	if (status === 407 || asksForCredentials(answer, read)) return describeProxyCredentials(said);
	if (status === 401 || status === 403) {
		return {
			cause: "access_denied",
			certainty: "likely",
			message: `${said}: something in front of the gateway, such as a firewall or a VPN, does not let this machine in.`,
			fix: "Ask whether the gateway is open to this network, and compare with a request from a machine where it works.",
		};
	}
	if (status === 429) return describeLimit(read.retryAfterMs, said);
	if (status >= 500) return describeServerFailure(ending, said);
	if (status === 400 && /https/i.test(read.text ?? "") && request.url.startsWith("http:")) {
		return {
			cause: "wrong_scheme",
			certainty: "likely",
			message: `${said}, with words on HTTPS: the port speaks TLS, and baseUrl starts with http.`,
			fix: "Let baseUrl start with https.",
		};
	}
	if (status === 404 || status === 405) return describeWrongPath(ending, said);
	if (read.isPage) {
		return {
			cause: "html_response",
			certainty: "likely",
			message: `${said} with a web page: a proxy, a login or a console answers instead of the gateway.`,
			fix: "Open the address in a browser to see the page, and set baseUrl to that of the API.",
		};
	}
	if (status >= 200 && status < 300) {
		return {
			cause: "not_the_gateway",
			certainty: "likely",
			message: `${said}, but not in the gateway's envelope: another service answers here, or a stub.`,
			fix: "Check the host and port of baseUrl.",
		};
	}
	return {
		cause: "unexpected_response",
		certainty: "likely",
		message: `${said}, which the specification does not name.`,
		fix: "Look at the raw answer, e.g. with curl, and ask who runs the gateway.",
	};
}

function describeRedirect({ answer, request, path }: Responded, said: string): Description {
	const target = readTarget(answer.response.headers.get("Location"), request.url, path);
	const login = "If it is a login page, something in front of the gateway wants credentials of its own.";
	return {
		cause: "redirected",
		certainty: "certain",
		message: `${said}${target === undefined ? "" : ` to ${target.origin}`}. Redirects are not followed, since the signature would go with them.`,
		fix:
			target === undefined
				? `Set baseUrl to the final address, which curl -I shows. ${login}`
				: `Set baseUrl to ${target.baseUrl ?? `the final address at ${target.origin}`}. ${target.baseUrl === undefined ? login : ""}`.trim(),
	};
}

/** Where a redirect leads: the base address, where the path is the same at its end; of any other path nothing is told. */
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

function describeProxyCredentials(said: string): Description {
	return {
		cause: "proxy_authentication",
		certainty: "likely",
		message: `${said}: something in front of the gateway asks for credentials of its own.`,
		fix: "Let that proxy pass the gateway's paths on without a check: their Authorization header carries the signature, so it cannot carry a password as well.",
	};
}

function describeLimit(retryAfterMs: number | undefined, said: string): Description {
	return {
		cause: "rate_limited",
		certainty: "certain",
		message: `${said}: too many requests${retryAfterMs === undefined ? "" : `, for another ${Math.ceil(retryAfterMs / 1000)} s`}.`,
		fix: "Wait, then diagnose again; the client itself waits and repeats.",
	};
}

function describeServerFailure({ read }: Responded, said: string): Description {
	const isOwn = hasEnvelope(read);
	return {
		cause: "gateway_failing",
		certainty: isOwn ? "certain" : "likely",
		message: isOwn
			? `${said}, in the gateway's own envelope.`
			: `${said} without an error envelope: a proxy is there, and the gateway behind it is not, or fails.`,
		fix: `Look at what the gateway logs${read.requestId === undefined ? "" : ` for request ${read.requestId}`}, then diagnose again.`,
	};
}

function describeWrongPath({ request }: Responded, said: string): Description {
	return {
		cause: "wrong_base_path",
		certainty: "likely",
		message: `${said}: the host answers, but the gateway is not at this path.`,
		fix:
			request.base.path !== "/"
				? "Check the path of baseUrl: it must be what stands before /health."
				: "Check the host of baseUrl, and whether the gateway lies below a path, which then belongs to baseUrl.",
	};
}

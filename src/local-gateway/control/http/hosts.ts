import { problemResponse } from "./responses.ts";
import type { Routes } from "./routes.ts";

/** The names under which a browser on this machine reaches a server on it. */
export const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

const PRIVATE_NAME = /^(\[.+\]|[\d.]+|[^.]+|.+\.(internal|localhost))$/;

/**
 * Answers only under names of one's own. A page elsewhere can let its own name point to this machine and then
 * read everything as if it were its own (DNS rebinding); the name is what gives it away.
 *
 * @param hosts names without a port, an IPv6 address in brackets.
 */
export function underHosts(hosts: readonly string[], routes: Routes): Routes {
	return (request) => {
		const answer = routes(request);
		// What would not be answered anyway is not our concern.
		if (answer === undefined || isAllowedHost(request, hosts)) return answer;
		return answer.then(foreignHost, foreignHost);
	};
}

/**
 * Refuses what a browser sends for a page elsewhere, whoever may have signed it: a secret that leaked, or was set
 * to a public one, must not open the gateway to it. What comes from a page on this machine, or from no browser at all,
 * is left to the others.
 */
export function refuseForeignPages(hosts: readonly string[]): Routes {
	return (request) => {
		const origin = request.headers.get("Origin");
		const isOfBrowser = origin !== null || request.headers.has("Sec-Fetch-Site");
		const isForeign = origin !== null && !(URL.canParse(origin) && hosts.includes(new URL(origin).hostname));
		// Under a foreign name without https, a browser reads from what it takes for its own site without any sign of it.
		const isAllowed = isAllowedHost(request, hosts) || (!isOfBrowser && isUnderPrivateName(request));
		if (isForeign) return Promise.resolve(foreignPage());
		return isAllowed ? undefined : Promise.resolve(foreignHost());
	};
}

/** Whether a request was made under one of the names. */
export function isAllowedHost(request: Request, hosts: readonly string[]): boolean {
	const address = `http://${hostOf(request)}`;
	if (!URL.canParse(address)) return false;
	const { hostname } = new URL(address);
	return hosts.some((host) => host.toLowerCase() === hostname);
}

/**
 * Whether nobody elsewhere can own the name: an address, a name of one word as containers have, or one of the ends that
 * are kept for private use.
 */
function isUnderPrivateName(request: Request): boolean {
	const address = `http://${hostOf(request)}`;
	return URL.canParse(address) && PRIVATE_NAME.test(new URL(address).hostname);
}

/** The host and port that a request names. */
export function hostOf({ headers, url }: Request): string {
	return headers.get("Host") ?? new URL(url).host;
}

/** The answer to a page of another site. */
function foreignPage(): Response {
	return problemResponse(
		"forbidden",
		"Only pages of this machine may use the gateway: open yours as localhost.",
	);
}

/** The answer under a name that is not one's own. */
export function foreignHost(): Response {
	return problemResponse("forbidden", "This is not a name of the gateway: open it as localhost.");
}

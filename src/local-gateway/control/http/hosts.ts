import { problemAnswer } from "./answers.ts";
import type { Routes } from "./routes.ts";

/** The names under which a browser on this machine reaches a server on it. */
export const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

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
 * Refuses what a browser sends for a page elsewhere, whoever may have signed it: the local secrets are public. What
 * comes from a page on this machine, or from no browser at all, is left to the others.
 */
export function refuseForeignPages(hosts: readonly string[]): Routes {
	return (request) => {
		const origin = request.headers.get("Origin");
		const isOfBrowser = origin !== null || request.headers.has("Sec-Fetch-Site");
		const isForeign = origin !== null && !(URL.canParse(origin) && hosts.includes(new URL(origin).hostname));
		if (!isForeign && (!isOfBrowser || isAllowedHost(request, hosts))) return undefined;
		return Promise.resolve(foreignHost());
	};
}

/** Whether a request was made under one of the names. */
export function isAllowedHost(request: Request, hosts: readonly string[]): boolean {
	const address = `http://${hostOf(request)}`;
	if (!URL.canParse(address)) return false;
	const { hostname } = new URL(address);
	return hosts.some((host) => host.toLowerCase() === hostname);
}

/** The host and port that a request names. */
export function hostOf({ headers, url }: Request): string {
	return headers.get("Host") ?? new URL(url).host;
}

/** The answer under a name that is not one's own. */
export function foreignHost(): Response {
	return problemAnswer("forbidden", "This is not a name of the gateway: open it as localhost.");
}

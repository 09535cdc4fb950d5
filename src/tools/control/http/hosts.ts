import type { Routes } from "../../local-gateway/routes.ts";
import { problemResponse } from "./responses.ts";

/** The host names under which a browser reaches a server on the same machine. */
export const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

const PRIVATE_NAME = /^(\[.+\]|[\d.]+|[^.]+|.+\.(internal|localhost))$/;

/**
 * Serves routes only under these host names. A foreign page can point its own name to this machine and then read
 * everything as same-origin (DNS rebinding); the host name reveals it.
 *
 * @param hosts names without a port, an IPv6 address in brackets.
 */
export function underHosts(hosts: readonly string[], routes: Routes): Routes {
	return (request) => {
		const response = routes(request);
		// A request that the routes do not handle is left to others.
		if (response === undefined || isAllowedHost(request, hosts)) return response;
		return response.then(foreignHost, foreignHost);
	};
}

/**
 * Rejects the browser requests of foreign pages, even signed ones: a secret that leaked or is public must not open
 * the gateway to them. Requests of pages on this machine, or without a browser, are left to the other routes.
 *
 * @param onForeignPage - gets the origin of such a page, whose browser keeps the response from it.
 */
export function rejectForeignPages(
	hosts: readonly string[],
	onForeignPage?: (origin: string) => void,
): Routes {
	return (request) => {
		const origin = request.headers.get("Origin");
		const isOfBrowser = origin !== null || request.headers.has("Sec-Fetch-Site");
		const isForeign = origin !== null && !(URL.canParse(origin) && hosts.includes(new URL(origin).hostname));
		// Under a foreign name without https, a browser sends same-origin reads without Origin and Sec-Fetch-Site.
		const isAllowed = isAllowedHost(request, hosts) || (!isOfBrowser && isUnderPrivateName(request));
		if (isForeign) {
			onForeignPage?.(origin);
			return Promise.resolve(foreignPage());
		}
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
 * Whether no stranger can own the host name: an IP address, a single label as containers have, or a suffix
 * reserved for private use.
 */
function isUnderPrivateName(request: Request): boolean {
	const address = `http://${hostOf(request)}`;
	return URL.canParse(address) && PRIVATE_NAME.test(new URL(address).hostname);
}

/** The host and port that a request names. */
export function hostOf({ headers, url }: Request): string {
	return headers.get("Host") ?? new URL(url).host;
}

/** The response to a page of another site. */
function foreignPage(): Response {
	return problemResponse(
		"forbidden",
		"Only pages of this machine may use the gateway: open yours as localhost, or for an extension use `listen` of messaging-gateway/testing/node.",
	);
}

/** The response under a foreign host name. */
export function foreignHost(): Response {
	return problemResponse("forbidden", "This isn't a name of the gateway: open it as localhost.");
}

/** A gateway's parsed base URL. */
export interface BaseUrl {
	/** Without a trailing slash. */
	readonly href: string;
	/** Its path; `"/"` if it has none. */
	readonly path: string;
}

/**
 * Parses a base URL.
 * @throws TypeError if it is not an absolute URL.
 */
export function readBaseUrl(url: string): BaseUrl {
	const { origin, pathname } = new URL(url);
	const path = pathname.replace(/\/+$/, "");
	return { href: origin + path, path: path || "/" };
}

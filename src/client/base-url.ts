/** A gateway's base address, taken apart. */
export interface BaseUrl {
	/** Without a slash at its end. */
	readonly href: string;
	/** Its own path; `"/"` where it has none. */
	readonly path: string;
}

/** Takes a base address apart. Throws a TypeError where it is not an absolute URL. */
export function readBaseUrl(text: string): BaseUrl {
	const { origin, pathname } = new URL(text);
	const path = pathname.replace(/\/+$/, "");
	return { href: origin + path, path: path || "/" };
}

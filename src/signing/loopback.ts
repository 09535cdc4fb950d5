/**
 * Whether a host name, as `URL.hostname` gives it, is certainly this machine: an address of it, or the one name that
 * every system has for itself.
 */
export function isCertainlyLoopback(hostname: string): boolean {
	return /^(127(\.\d{1,3}){3}|\[::1\]|localhost)$/.test(hostname);
}

/**
 * Whether a host name, as `URL.hostname` gives it, is meant to be this machine (RFC 6761, section 6.3). Outside of
 * browsers the system's resolver decides where a name under localhost really leads.
 */
export function isLoopback(hostname: string): boolean {
	return isCertainlyLoopback(hostname) || hostname.endsWith(".localhost");
}

/**
 * Whether a host name, as `URL.hostname` gives it, is certainly this machine: a loopback address or `localhost`.
 */
export function isCertainlyLoopback(hostname: string): boolean {
	return /^(127(\.\d{1,3}){3}|\[::1\]|localhost)$/.test(hostname);
}

/**
 * Whether a host name, as `URL.hostname` gives it, is meant to be this machine (RFC 6761, section 6.3). Outside of
 * browsers the system's resolver decides to which address a name under localhost leads.
 */
export function isLoopback(hostname: string): boolean {
	return isCertainlyLoopback(hostname) || hostname.endsWith(".localhost");
}

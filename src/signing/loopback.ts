/** Whether a host name, as `URL.hostname` gives it, is this machine. */
export function isLoopback(hostname: string): boolean {
	return /^(127(\.\d{1,3}){3}|\[::1\]|(.+\.)?localhost)$/.test(hostname);
}

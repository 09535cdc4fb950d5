import type { Attempt } from "../../local-gateway/delivery.ts";

/** Where the response to an attempt redirects. */
export function findTarget(url: string, { response }: Attempt): URL | undefined {
	const location = response?.headers["location"];
	return location === undefined ? undefined : (URL.parse(location, url) ?? undefined);
}

const LOGIN_PATH = /(^|[/._-])(log|sign)[-_]?(in|on)(?![a-z])|\/(auth|oauth2?|sso)\/?$/i;
const LOGIN_HOST = /^(accounts?|auth|login|signin|sso)\./i;

/** Whether a redirect leads from a webhook URL to a page that asks who is there. */
export function isLogin(target: URL, url: string): boolean {
	const from = new URL(url);
	const isNewPath = LOGIN_PATH.test(target.pathname) && !LOGIN_PATH.test(from.pathname);
	return isNewPath || (LOGIN_HOST.test(target.hostname) && target.hostname !== from.hostname);
}

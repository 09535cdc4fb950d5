import { randomBytes } from "node:crypto";
import { constantTimeEqual, utf8 } from "../../../library/signing/bytes.ts";
import type { Routes } from "../../local-gateway/routes.ts";

/** A path that leads to a URL once. */
export interface OneTimeLink {
	readonly path: string;
	readonly routes: Routes;
}

const CODE_BYTES = 16;

/**
 * Creates a link that redirects to `target` once. Every user of the machine can see the arguments of a program; this
 * link is useless to them once the browser has opened it.
 */
export function createOneTimeLink(target: string): OneTimeLink {
	const path = `/_open/${randomBytes(CODE_BYTES).toString("hex")}`;
	let isUsed = false;
	return {
		path,
		routes(request) {
			const { pathname } = new URL(request.url);
			if (isUsed || request.method !== "GET" || !constantTimeEqual(utf8(pathname), utf8(path)))
				return undefined;
			isUsed = true;
			const headers = { Location: target, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer" };
			return Promise.resolve(new Response(null, { status: 303, headers }));
		},
	};
}

/**
 * Swagger UI with requests that are signed, for `dev` on this machine: it rejects the requests of pages from other hosts.
 *
 * The interceptor replaces the body with its canonical form, so the viewer sends the bytes that were signed. Keep a real App Secret out of
 * a page that others open: let your server sign, since an interceptor may return a promise. `npx esbuild viewer.ts --bundle
 * --outfile=viewer.js` bundles it for viewer.html.
 */
import { signRequest } from "messaging-gateway/signing";

/** A script of the page defines it: `swagger-ui-bundle.js`. */
declare const SwaggerUIBundle: (options: object) => void;

interface ViewerRequest {
	url: string;
	method: string;
	body?: string;
	headers: Record<string, string>;
	/** Set when the viewer reads the document. */
	loadSpec?: true;
}

const appId = "local-app";
const appSecret = prompt("The App Secret that dev prints") ?? "";

function requestInterceptor(request: ViewerRequest) {
	const { url, method, body, headers, loadSpec } = request;
	if (loadSpec) return request;
	const signed = signRequest({ method, url, body: body ? JSON.parse(body) : undefined, appId, appSecret });
	const signedBody = signed.body && new TextDecoder().decode(signed.body);
	return { ...request, headers: { ...headers, ...signed.headers }, body: signedBody };
}

SwaggerUIBundle({ url: "openapi.json", dom_id: "#viewer", requestInterceptor });

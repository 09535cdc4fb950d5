/** What a gateway must allow, so that pages of another origin can call it. */
import { OPERATIONS } from "../../src/library/catalogue/index.ts";
import { USED_HEADERS } from "../../src/library/client/response.ts";
import { signRequest } from "../../src/library/signing/sign-request.ts";

/** What a page may read of each response (Fetch Standard, CORS-safelisted response-header name). */
const SAFELISTED = ["Cache-Control", "Content-Language", "Content-Length", "Content-Type", "Expires"];

const SIGNED = signRequest({
	method: "POST",
	url: "https://gateway.example/message/text",
	appId: "app-1",
	appSecret: "secret",
	body: {},
});

/** The values of the headers by which a gateway allows it, in the order of the alphabet. */
export const CORS = {
	methods: [...new Set(OPERATIONS.map(({ method }) => method))].sort(),
	requestHeaders: Object.keys(SIGNED.headers).sort(),
	responseHeaders: USED_HEADERS.filter((name) => !SAFELISTED.includes(name)).sort(),
};

/** The headers of the signature, of the request's framing, and of one connection, which `fetch` rejects or leaves out. */
export const RESERVED_HEADERS: readonly string[] = [
	"authorization",
	"x-app-id",
	"x-timestamp",
	"x-nonce",
	"content-type",
	"content-length",
	"transfer-encoding",
	"host",
	"expect",
	"keep-alive",
	"upgrade",
];

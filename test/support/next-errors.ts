/** How the `digest` or the `code` of errors begins that Next.js 15 and 16 throw on purpose. */
export const NEXT_ERRORS: readonly string[] = [
	"BAILOUT_TO_CLIENT_SIDE_RENDERING",
	"DYNAMIC_SERVER_USAGE",
	"HANGING_PROMISE_REJECTION",
	"NEXT_HTTP_ERROR_FALLBACK",
	"NEXT_PRERENDER_INTERRUPTED",
	"NEXT_REDIRECT",
	"NEXT_STATIC_GEN_BAILOUT",
];

import { describeReadings } from "./reading-description.ts";

const SIGN_WITH_PROFILE = "Set the profile; `npx messaging-gateway doctor` finds it.";

/** Readings of the signatures of requests. */
export const SIGNING_READINGS = /* @__PURE__ */ describeReadings({
	"the decoded path is signed": {
		section: "5.1",
		quotation: "`toSign` = METHOD, path, bodyHash, X-Timestamp, X-Nonce joined with a newline character",
		isOpen: true,
		summary: "Escapes are decoded in the signed path.",
		advice: SIGN_WITH_PROFILE,
	},
	"the base path is not signed": {
		section: "introduction",
		quotation: "Base address: `{base_url}`.",
		isOpen: true,
		summary: "The gateway is below a path, which is not part of the signed path.",
		advice: SIGN_WITH_PROFILE,
	},
	"the query is signed": {
		section: "5.1",
		quotation: "Whether the signed path includes a query string: not shown.",
		isOpen: true,
		summary: "The query string is part of the signed path.",
		advice: SIGN_WITH_PROFILE,
	},
	"bodies are signed in their own order": {
		section: "5.1",
		quotation: "Canonicalization rules of the body: not shown.",
		isOpen: true,
		summary: "The fields of a body are not sorted before it is hashed.",
		advice: "Send through the client, which sends the bytes that it hashed.",
	},
	"bodies are signed as Python writes them": {
		section: "5.1",
		quotation: "Canonicalization rules of the body: not shown.",
		isOpen: true,
		summary:
			"A body is hashed with spaces after commas and colons, and with everything but ASCII as `\\u00e9`.",
		advice: SIGN_WITH_PROFILE,
	},
	"bodies are signed as Go writes them": {
		section: "5.1",
		quotation: "Canonicalization rules of the body: not shown.",
		isOpen: true,
		summary: "A body is hashed with `&`, `<` and `>` as `\\u0026` and so on.",
		advice: SIGN_WITH_PROFILE,
	},
	"bodies are signed as PHP writes them": {
		section: "5.1",
		quotation: "Canonicalization rules of the body: not shown.",
		isOpen: true,
		summary: "A body is hashed with `/` as `\\/`, and with everything but ASCII as `\\u00e9`.",
		advice: SIGN_WITH_PROFILE,
	},
	"bodies are signed in ASCII": {
		section: "5.1",
		quotation: "Canonicalization rules of the body: not shown.",
		isOpen: true,
		summary: "A body is hashed with everything but ASCII as `\\u00e9`.",
		advice: SIGN_WITH_PROFILE,
	},
	"slashes in signed bodies are escaped": {
		section: "5.1",
		quotation: "Canonicalization rules of the body: not shown.",
		isOpen: true,
		summary: "A body is hashed with `/` as `\\/`.",
		advice: SIGN_WITH_PROFILE,
	},
	"nulls in signed bodies are left out": {
		section: "5.1",
		quotation: "Canonicalization rules of the body: not shown.",
		isOpen: true,
		summary: "A body is hashed without the fields that are null.",
		advice: SIGN_WITH_PROFILE,
	},
	"the App Secret is hex": {
		section: "5.1",
		quotation: "`signature` = HMAC-SHA-256 of `toSign` keyed with the App Secret, lowercase hex.",
		isOpen: true,
		summary: "The App Secret is hex: its bytes are the key.",
		advice: SIGN_WITH_PROFILE,
	},
	"the App Secret is base64": {
		section: "5.1",
		quotation: "`signature` = HMAC-SHA-256 of `toSign` keyed with the App Secret, lowercase hex.",
		isOpen: true,
		summary: "The App Secret is base64: its bytes are the key.",
		advice: SIGN_WITH_PROFILE,
	},
	"X-Timestamp is in seconds": {
		section: "5.1",
		quotation: "Unix time in milliseconds at signing",
		isOpen: false,
		summary: "The timestamp of a request is in whole seconds.",
		advice: SIGN_WITH_PROFILE,
	},
});

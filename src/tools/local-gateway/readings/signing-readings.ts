import { describeReadings } from "./reading-description.ts";

const SIGN_WITH_PROFILE = "Set the profile; `messaging-gateway doctor` finds it.";

/** How requests are signed. */
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
	"X-Timestamp is in seconds": {
		section: "5.1",
		quotation: "Unix time in milliseconds at signing",
		isOpen: false,
		summary: "The timestamp of a request is in whole seconds.",
		advice: SIGN_WITH_PROFILE,
	},
});

import { profileFromJson } from "messaging-gateway/maps";
import { defineProfile, type Profile } from "../../../src/library/catalogue/profile.ts";
import { BODY_FORMS } from "../../../src/library/signing/body-forms.ts";
import {
	createOpenApiDocument,
	writeOpenApiDocument,
} from "../../../src/tools/openapi/create-openapi-document.ts";
import { MAPPED_PROFILE } from "../../support/mapped-profile.ts";

/** Every choice of signing, in one profile for each canonical form. */
export const SIGNING_PROFILES: readonly Profile[] = BODY_FORMS.map((canonicalBody, at) =>
	defineProfile({
		signing: {
			canonicalBody,
			path: take(["request_line", "without_base_path", "decoded", "decoded_without_base_path"], at),
			query: take(["excluded", "included", "sorted"], at),
			emptyBody: take(["empty_string", "empty_object"], at),
			timestamp: take(["milliseconds", "seconds"], at),
			secret: take(["text", "hex", "base64", "prefixed_base64"], at),
		},
	}),
);

function take<const Value>(values: readonly [Value, ...Value[]], at: number): Value {
	return values[at % values.length] ?? values[0];
}

/** A profile that renames, moves, encodes and decodes. */
export const CODED_PROFILE = defineProfile({
	vendor: { headerPrefix: "Acme", messageNumberField: "acmeNumber" },
	signing: { query: "included" },
	operations: {
		"agents.assign": { method: "PUT", path: "/agent/{agentNumber}/user/{userNumber}" },
		"messages.sendText": { request: { encode: (fields) => fields }, response: { decode: (data) => data } },
	},
});

/** A profile that is data. */
export const PROFILE_OF_MAPS = profileFromJson(MAPPED_PROFILE);

/**
 * The document of a profile, as the command writes it.
 * @param baseUrl - `null` for one that the reader fills in.
 */
export function documentOf(profile?: Profile, baseUrl: string | null = "https://gateway.example"): string {
	return writeOpenApiDocument(createOpenApiDocument({ profile, baseUrl: baseUrl ?? undefined }));
}

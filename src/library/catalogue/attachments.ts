import * as z from "zod/mini";
import { httpUrl, identifier } from "./input-fields.ts";
import { schemaOf } from "./schema.ts";

/** An attachment that the gateway fetches. */
export interface AttachmentByUrl {
	/** Where the gateway fetches it from. */
	url: string;
	/** A file name to show. */
	name?: string | undefined;
	/** Its media type. */
	mimeType?: string | undefined;
}

/** An attachment as it travels in a request. */
export interface EncodedAttachment {
	/** The bytes in base64 (RFC 4648, section 4). */
	data: string;
	/** A file name to show. */
	name: string;
	/** Its media type. */
	mimeType: string;
}

/** An attachment on the wire. */
export type WireAttachment = AttachmentByUrl | EncodedAttachment;

export const mimeType = z
	.string()
	.check(z.regex(/^[\w.+-]+\/[\w.+-]+$/, "must be a media type, such as image/png"));

export const wireAttachment = z.union(
	[
		schemaOf<AttachmentByUrl>("AttachmentByUrl")(
			z.strictObject({
				url: httpUrl,
				name: z.optional(identifier),
				mimeType: z.optional(mimeType),
			}),
		),
		schemaOf<EncodedAttachment>("EncodedAttachment")(
			z.strictObject({
				data: z.base64("must be base64").check(z.minLength(1, "must not be empty")),
				name: identifier,
				mimeType,
			}),
		),
	],
	"must be { url, name?, mimeType? } with an http(s) URL, or { data, name, mimeType }",
);

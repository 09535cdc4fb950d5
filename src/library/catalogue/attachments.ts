import * as z from "zod/mini";
import { httpUrl, identifier } from "./input-fields.ts";
import { schemaOf } from "./schema.ts";

/** An attachment that the gateway fetches. */
export interface AttachmentByUrl {
	/** The address that the gateway fetches it from. */
	url: string;
	/** The file name to show. */
	name?: string | undefined;
	/** The media type. */
	mimeType?: string | undefined;
}

/** An attachment as it travels in a request. */
export interface EncodedAttachment {
	/** The bytes in base64. */
	data: string;
	/** The file name to show. */
	name: string;
	/** The media type. */
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

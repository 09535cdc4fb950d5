import * as z from "zod/mini";
import type { ResponseMeta } from "../../library/catalogue/response-meta.ts";
import { receivedUuid, schemaNotes, schemaOf } from "../../library/catalogue/schema.ts";
import type { FieldError } from "../../library/errors.ts";

const responseMeta = schemaOf<ResponseMeta>("ResponseMeta")(
	z.looseObject({
		requestId: receivedUuid,
		timestamp: z.string().register(schemaNotes, { format: "date-time" }),
	}),
);

/** The body of a successful response (specification, section 2.1). */
export interface SuccessEnvelope {
	/** `true` on success. */
	ok: true;
	/** The operation's result. */
	data: unknown;
	/** About the response. */
	meta: ResponseMeta;
}

/** For the OpenAPI document; the client reads envelopes itself, since it accepts incomplete ones too. */
export const successEnvelope = schemaOf<SuccessEnvelope>("SuccessEnvelope")(
	z.looseObject({ ok: z.literal(true), data: z.unknown(), meta: responseMeta }),
);

const fieldError = schemaOf<FieldError>("FieldError")(
	z.looseObject({ field: z.string(), issue: z.string(), message: z.string() }),
);

/** Why a request was rejected, or what failed. */
export interface ErrorBody {
	/** The error's code. The specification does not show the set of codes: the known ones are ours. */
	code: string;
	/** The error as a sentence. */
	message: string;
	/** The gateway's request id: a UUID. */
	requestId: string;
	/** One entry for each invalid field, or an object that depends on the error. */
	details?: FieldError[] | Record<string, unknown>;
}

const errorBody = schemaOf<ErrorBody>("ErrorBody")(
	z.looseObject({
		code: z.string(),
		message: z.string(),
		requestId: receivedUuid,
		details: z.exactOptional(z.union([z.array(fieldError), z.record(z.string(), z.unknown())])),
	}),
);

/** The body of an error response (specification, section 2.2). */
export interface ErrorEnvelope {
	/** `false` on error. */
	ok: false;
	/** What went wrong. */
	error: ErrorBody;
}

export const errorEnvelope = schemaOf<ErrorEnvelope>("ErrorEnvelope")(
	z.looseObject({ ok: z.literal(false), error: errorBody }),
);

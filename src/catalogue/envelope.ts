import * as z from "zod/mini";
import type { FieldError } from "../errors.ts";
import { receivedUuid, schemaNotes, schemaOf } from "./schema.ts";

/** The `meta` of a success envelope (specification, section 2.1). */
export interface ResponseMeta {
	/** The gateway's id of the request: a UUID. */
	requestId: string;
	/** When the gateway answered, as an ISO 8601 date and time. */
	timestamp: string;
}

const responseMeta = schemaOf<ResponseMeta>("ResponseMeta")(
	z.looseObject({
		requestId: receivedUuid,
		timestamp: z.string().register(schemaNotes, { format: "date-time" }),
	}),
);

/** What a success answers (specification, section 2.1). */
export interface SuccessEnvelope {
	/** `true` on success. */
	ok: true;
	/** What the operation answers. */
	data: unknown;
	/** About the answer. */
	meta: ResponseMeta;
}

/** For the OpenAPI document; the client reads envelopes by hand, since it takes others, too. */
export const successEnvelope = schemaOf<SuccessEnvelope>("SuccessEnvelope")(
	z.looseObject({ ok: z.literal(true), data: z.unknown(), meta: responseMeta }),
);

const fieldError = schemaOf<FieldError>("FieldError")(
	z.looseObject({ field: z.string(), issue: z.string(), message: z.string() }),
);

/** Why a request was refused, or what failed. */
export interface ErrorBody {
	/** Which error it is. The set of codes is not shown in the specification: the known ones are ours. */
	code: string;
	/** The error in words. */
	message: string;
	/** The gateway's id of the request: a UUID. */
	requestId: string;
	/** One entry for each field that does not fit, or an object with what belongs to the error. */
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

/** What a failure answers (specification, section 2.2). */
export interface ErrorEnvelope {
	/** `false` on error. */
	ok: false;
	/** What went wrong. */
	error: ErrorBody;
}

export const errorEnvelope = schemaOf<ErrorEnvelope>("ErrorEnvelope")(
	z.looseObject({ ok: z.literal(false), error: errorBody }),
);

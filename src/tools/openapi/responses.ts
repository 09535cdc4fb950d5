import { GATEWAY_ERRORS, type KnownGatewayErrorCode } from "../../library/catalogue/gateway-errors.ts";
import type { OperationId } from "../../library/catalogue/index.ts";
import type { Operation } from "../../library/catalogue/operation.ts";
import { docsOf } from "../../library/catalogue/operation-docs.ts";
import type { OperationProfile } from "../../library/catalogue/profile.ts";
import type { JsonSchema, Reference, ResponseObject } from "./document.ts";
import { errorEnvelope, successEnvelope } from "./envelopes.ts";
import type { SchemaWriter } from "./json-schemas.ts";
import { describeMappedData } from "./mapped-response.ts";

/** The errors that every signed operation may respond with. */
export const BASE_ERRORS = [
	"VALIDATION_ERROR",
	"UNAUTHORIZED",
	"RATE_LIMITED",
	"INTERNAL_ERROR",
	"SERVICE_UNAVAILABLE",
] as const satisfies readonly KnownGatewayErrorCode[];

const SUCCESSES = { 200: "Done.", 201: "Created.", 202: "Accepted; it is carried out later." } as const;

const RETRY_AFTER = {
	"Retry-After": {
		description: "When to retry: seconds, or a date. It may be absent.",
		schema: { type: "string" },
	},
};

/** The response of an operation whose data comes from its input. */
export const WITHOUT_BODY: ResponseObject = {
	description: "Done; the response has no body.",
	"x-provenance": "provisional",
};

/** The response of an operation that succeeds. */
export function describeSuccess(
	operation: Operation<unknown, unknown>,
	override: OperationProfile | undefined,
	writer: SchemaWriter,
): ResponseObject {
	const { successStatus, hasEnvelope, isDataDocumented, provenance } = operation;
	const map = override?.map?.response;
	const own = override?.response === undefined ? writer.write(operation.data) : FOREIGN_DATA;
	const data = map === undefined ? own : describeMappedData(map, own, operation.pageItems, writer.components);
	const schema = hasEnvelope ? envelopeOf(data, writer) : data;
	// An operation that is assumed as a whole says so in its description.
	const isAssumed = provenance === "documented" && !isDataDocumented;
	const assumption = isAssumed ? " Assumed: the specification does not show the shape of this response." : "";
	return {
		description: SUCCESSES[successStatus] + assumption,
		"x-provenance": isDataDocumented ? "documented" : "provisional",
		content: {
			"application/json": { schema },
			// The client returns words as they are (specification, section 4.3: the shape is not shown).
			...(hasEnvelope || map !== undefined ? {} : { "text/plain": { schema: { type: "string" } } }),
		},
	};
}

/** The data before `response.decode`, whose shape only the profile knows. */
const FOREIGN_DATA = { description: "In the service's own form; the profile decodes it." };

/** The success envelope around the data of one operation. */
function envelopeOf(data: JsonSchema, writer: SchemaWriter): JsonSchema {
	const envelope = writer.writeInPlace(successEnvelope);
	return { ...envelope, properties: { ...envelope.properties, data } };
}

/**
 * The error responses of an operation by status, as references to components that this adds. Those that the
 * specification shows for one operation alone are its own.
 */
export function describeErrors(
	operation: Operation<unknown, unknown, OperationId>,
	components: Record<string, ResponseObject>,
	writer: SchemaWriter,
): Record<string, ResponseObject | Reference> {
	const responses: Record<string, ResponseObject | Reference> = {};
	for (const [status, codes] of groupByStatus(codesOf(operation))) {
		const name = nameOf(codes);
		const shown = { ...describeError(status, codes, writer), ...SHOWN[name] };
		if (operation.id === "mappings.get" && DOCUMENTED_STATUSES.includes(status)) {
			responses[status] = { ...shown, ...SHOWN_HERE };
			continue;
		}
		components[name] ??= shown;
		responses[status] = { $ref: `#/components/responses/${name}` };
	}
	return responses;
}

function codesOf({ id, isSigned }: Operation<unknown, unknown, OperationId>): KnownGatewayErrorCode[] {
	return [...BASE_ERRORS.filter((code) => isSigned || code !== "UNAUTHORIZED"), ...docsOf(id).errors];
}

/** The codes of each status, sorted: the same codes make the same component. */
function groupByStatus(codes: readonly KnownGatewayErrorCode[]): Map<string, KnownGatewayErrorCode[]> {
	return Map.groupBy([...codes].sort(), (code) => String(GATEWAY_ERRORS[code].status));
}

/** The name of the response with these codes, which generators make a type of: `AgentNotFoundOrMappingNotFound`. */
function nameOf(codes: readonly KnownGatewayErrorCode[]): string {
	const words = codes.join("_OR_").split("_");
	return words.map((word) => word.charAt(0) + word.slice(1).toLowerCase()).join("");
}

type ResponseProvenance = Required<Pick<ResponseObject, "x-provenance" | "x-specification">>;

const SHOWN_ONCE: ResponseProvenance = {
	"x-provenance": "provisional",
	"x-specification":
		"Specification, section 7: the status is documented for GET /mapping/{toNumber} only. Codes are not shown.",
};

/** The statuses that section 4.1 shows for `mappings.get`. */
const DOCUMENTED_STATUSES: readonly string[] = ["400", "401", "404", "500"];

const SHOWN_HERE: ResponseProvenance = {
	"x-provenance": "documented",
	"x-specification": "Specification, section 4.1: the status is documented. Codes are not shown.",
};

/** What the specification shows of a shared response, by its name. */
const SHOWN: Readonly<Record<string, ResponseProvenance>> = {
	Unauthorized: {
		"x-provenance": "documented",
		"x-specification": "Specification, section 7: the status is documented. Codes are not shown.",
	},
	ValidationError: SHOWN_ONCE,
	MappingNotFound: SHOWN_ONCE,
	InternalError: SHOWN_ONCE,
};

const NOT_SHOWN: ResponseProvenance = {
	"x-provenance": "provisional",
	"x-specification": "Specification, section 7: neither the status nor the codes are shown.",
};

function describeError(
	status: string,
	codes: readonly KnownGatewayErrorCode[],
	writer: SchemaWriter,
): ResponseObject {
	return {
		description: codes.map((code) => `- \`${code}\`: ${GATEWAY_ERRORS[code].meaning}`).join("\n"),
		...NOT_SHOWN,
		"x-error-codes": [...codes],
		...(status === "429" || status === "503" ? { headers: RETRY_AFTER } : {}),
		content: { "application/json": { schema: writer.write(errorEnvelope) } },
	};
}

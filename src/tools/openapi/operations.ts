import { withHandlePattern } from "../../library/catalogue/handle.ts";
import type { OperationId } from "../../library/catalogue/index.ts";
import { ASSUMED_LIMITS, limitOf } from "../../library/catalogue/limits.ts";
import {
	type Operation,
	pathParameters,
	type RetryClass,
	usesQuery,
} from "../../library/catalogue/operation.ts";
import { docsOf, sourceOf } from "../../library/catalogue/operation-docs.ts";
import type { Profile } from "../../library/catalogue/profile.ts";
import { isJsonObject } from "../../library/is-object.ts";
import type { Route } from "../routes.ts";
import type {
	JsonSchema,
	OperationObject,
	ParameterObject,
	RequestBodyObject,
	ResponseObject,
} from "./document.ts";
import { exampleOf } from "./examples.ts";
import type { SchemaWriter } from "./json-schemas.ts";
import { type PlacedFields, placeMappedFields } from "./mapped-request.ts";
import { describeErrors, describeSuccess, WITHOUT_BODY } from "./responses.ts";
import { SIGNED } from "./signing.ts";

/** What the descriptions of all operations share. */
export interface DescriptionContext {
	readonly profile: Profile;
	readonly writer: SchemaWriter;
	/** The error responses that operations share. */
	readonly responses: Record<string, ResponseObject>;
}

const RETRIES: Record<RetryClass, string> = {
	safe: "It may be retried at any time.",
	idempotent: "A retry reaches the same end state.",
	never: "A retry may take effect twice.",
};

/** Describes the operation of a route. */
export function describeOperation(route: Route, context: DescriptionContext): OperationObject {
	const operation: Operation<unknown, unknown, OperationId> = route.operation;
	const { id, retry, neverRetryWith, isSigned, successStatus } = operation;
	const override = context.profile.operations?.[route.operation.id];
	const map = override?.map?.response;
	const isWithout = map !== undefined && context.profile.mapper?.needsNoBody(map) === true;
	const { parameters, body } = placeRouteFields(route, context);
	return {
		operationId: id,
		tags: [areaOf(id)],
		summary: docsOf(id).summary,
		description: describe(operation),
		"x-provenance": docsOf(id).section === undefined ? "provisional" : "documented",
		"x-specification": sourceOf(docsOf(id)),
		"x-retry": retry,
		...(neverRetryWith === undefined ? {} : { "x-never-retry-with": neverRetryWith }),
		...(route.method === operation.method && route.path === operation.path && route.request === undefined
			? { "x-sdk-methods": docsOf(id).methods.map((method) => `${areaOf(id)}.${method}`) }
			: {}),
		security: isSigned ? SIGNED : [],
		parameters: parameters.map(withParameterExample),
		...(body === undefined ? {} : { requestBody: describeBody(body, context.writer) }),
		responses: {
			...(isWithout
				? { 204: WITHOUT_BODY }
				: { [successStatus]: describeSuccess(operation, override, context.writer) }),
			...describeErrors(operation, context.responses, context.writer),
		},
	};
}

/** The area of an operation: `messages` of `messages.sendText`. */
export function areaOf(id: string): string {
	return id.slice(0, id.indexOf("."));
}

function describe(operation: Operation<unknown, unknown, OperationId>): string {
	const { id, isDataDocumented, retry, neverRetryWith, isSigned } = operation;
	const { section } = docsOf(id);
	const sentences = [
		...(section === undefined
			? ["Assumed: the specification does not show this operation."]
			: [`Known: section ${section} of the specification shows this operation.`]),
		...(section !== undefined && !isDataDocumented ? ["The shape of its response is assumed."] : []),
		RETRIES[retry],
		...(neverRetryWith === undefined ? [] : [`With \`${neverRetryWith}\` it must not be retried.`]),
		...(isSigned ? [] : ["It needs no signature."]),
	];
	return sentences.join(" ");
}

/** Where the fields of a route are. */
function placeRouteFields(route: Route, context: DescriptionContext): PlacedFields {
	if (route.request === undefined) return placeFields(route, fieldsOf(route, context));
	const { profile, writer } = context;
	const schema = withProfile(writer.writeInPlace(route.operation.input), profile);
	const { next } = profile.operations?.[route.operation.id]?.map?.response ?? {};
	const isNumbered = next !== undefined && !("cursor" in next);
	return placeMappedFields(route, schema, { components: writer.components, isNumbered });
}

/** The input of an operation, under the names of the wire. */
function fieldsOf({ operation, path }: Route, { profile, writer }: DescriptionContext): JsonSchema {
	if (profile.operations?.[operation.id]?.request === undefined) {
		return withProfile(writer.writeInPlace(operation.input, operation.wireNames), profile);
	}
	// Only the profile knows the result of its `request.encode`.
	const names = pathParameters(path);
	return {
		description: "In the service's own form; the profile encodes it.",
		type: "object",
		properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
		required: names,
	};
}

const MAXIMUM_OF_TYPE = new Map([
	["string", "maxLength"],
	["array", "maxItems"],
	["integer", "maximum"],
]);

/** Adds each field's limit, the profile's or the assumed one, and the profile's pattern to those that name a contact. */
function withProfile(schema: JsonSchema, profile: Profile): JsonSchema {
	const known = { ...ASSUMED_LIMITS, ...profile.limits };
	const fields = Object.entries(schema.properties ?? {}).map(([name, given]) => {
		const field = withOtherHandles(given, profile);
		const type = String(field["type"]);
		const keyword = MAXIMUM_OF_TYPE.get(type);
		const limit = limitOf(name, type)?.limit;
		return [
			name,
			keyword === undefined || limit === undefined
				? field
				: { ...field, [keyword]: Math.min(known[limit], Number(field[keyword] ?? Infinity)) },
		];
	});
	return { ...schema, properties: Object.fromEntries(fields) };
}

/** A contact, or a list of them, that the profile's pattern may match as well. */
function withOtherHandles(field: JsonSchema, profile: Profile): JsonSchema {
	const { pattern, items } = field;
	if (isJsonObject(items)) return { ...field, items: withOtherHandles(items, profile) };
	return typeof pattern === "string" ? { ...field, pattern: withHandlePattern(pattern, profile) } : field;
}

/** Splits the fields as the client does: into the path, and the query or the body. */
function placeFields({ method, path }: Pick<Route, "method" | "path">, fields: JsonSchema): PlacedFields {
	const inPath = pathParameters(path);
	const others = Object.keys(fields.properties ?? {}).filter((name) => !inPath.includes(name));
	const parameters = inPath.map((name) => toParameter("path", name, fields));
	if (usesQuery(method)) {
		const inQuery = others.map((name) => toParameter("query", name, fields));
		return { parameters: [...parameters, ...inQuery], body: undefined };
	}
	const isEmpty = others.length === 0 && fields["additionalProperties"] === false;
	return { parameters, body: isEmpty ? undefined : pickFields(fields, others) };
}

function toParameter(place: "path" | "query", name: string, fields: JsonSchema): ParameterObject {
	const { description, ...schema } = fields.properties?.[name] ?? { type: "string" };
	return {
		name,
		in: place,
		required: place === "path" || fields.required?.includes(name) === true,
		...(description === undefined ? {} : { description }),
		schema,
	};
}

/** The schema of an object with some of its fields. */
function pickFields({ required = [], ...schema }: JsonSchema, names: readonly string[]): JsonSchema {
	const picked = Object.entries(schema.properties ?? {}).filter(([name]) => names.includes(name));
	const stillRequired = required.filter((name) => names.includes(name));
	return {
		...schema,
		properties: Object.fromEntries(picked),
		...(stillRequired.length === 0 ? {} : { required: stillRequired }),
	};
}

/** The body of a request, with an example: importers fill in less usual values from the schema alone. */
function describeBody(schema: JsonSchema, { components }: SchemaWriter): RequestBodyObject {
	const example = exampleOf(schema, components);
	const isKnown = isJsonObject(example) && Object.keys(example).length > 0;
	return {
		required: isRequired(schema),
		content: { "application/json": { schema: withTypes(schema), ...(isKnown ? { example } : {}) } },
	};
}

/** Types the fields of which one is required: generators make `any` of an alternative without a type. */
function withTypes(schema: JsonSchema): JsonSchema {
	const { oneOf, properties = {} } = schema;
	if (!Array.isArray(oneOf)) return schema;
	const typed = oneOf.filter(isJsonObject).map(({ required = [] }: JsonSchema) => {
		const types = required.map((name) => [name, typeOf(properties[name])]);
		return { type: "object", properties: Object.fromEntries(types), required };
	});
	return { ...schema, oneOf: typed };
}

function typeOf({ type, items }: JsonSchema = {}): JsonSchema {
	return {
		...(type === undefined ? {} : { type }),
		...(isJsonObject(items) ? { items: typeOf(items) } : {}),
	};
}

/**
 * A required parameter with the first example of its schema, which not every tool reads there. Viewers send the example
 * of an optional one, too.
 */
function withParameterExample(parameter: ParameterObject): ParameterObject {
	const { examples } = parameter.schema;
	const isFilledIn = parameter.required && Array.isArray(examples);
	return isFilledIn ? { ...parameter, example: examples[0] } : parameter;
}

/** Whether a body is required. If all its fields are optional, it is not: the client sends no empty body. */
function isRequired(body: JsonSchema): boolean {
	return body.required !== undefined || body["oneOf"] !== undefined;
}

import { pathParameters, type RetryClass } from "../../library/catalogue/operation.ts";
import type { JsonSchema, OperationObject, ParameterObject, Reference, ResponseObject } from "./document.ts";

/** From what may be retried at any time to what may not. */
const RETRIES: readonly (RetryClass | undefined)[] = ["safe", "idempotent", "never"];

/** Describes two operations that have one method and path: a request is for one or the other. */
export function mergeOperations(
	first: OperationObject,
	second: OperationObject,
	components: Readonly<Record<string, ResponseObject>>,
): OperationObject {
	const retry = RETRIES.indexOf(second["x-retry"]) > RETRIES.indexOf(first["x-retry"]) ? second : first;
	const body = mergeBodies(first.requestBody, second.requestBody);
	const { "x-sdk-methods": _, "x-retry": _retry, requestBody: _body, ...rest } = first;
	const isDocumented = [first, second].every(({ "x-provenance": mark }) => mark === "documented");
	return {
		...rest,
		operationId: `${first.operationId}_or_${nameWithin(first, second)}`,
		tags: [...new Set([...first.tags, ...second.tags])],
		summary: `${first.summary} Or: ${second.summary}`,
		description:
			first.description === second.description
				? first.description
				: `${first.description} Or: ${second.description}`,
		"x-provenance": isDocumented ? "documented" : "provisional",
		...(retry["x-retry"] === undefined ? {} : { "x-retry": retry["x-retry"] }),
		parameters: mergeParameters(first.parameters, second.parameters),
		...(body === undefined ? {} : { requestBody: body }),
		responses: mergeResponses(first.responses, second.responses, components),
	};
}

/** The second id without a dot: generators make folders or classes of what stands before it. */
function nameWithin({ tags }: OperationObject, { operationId }: OperationObject): string {
	const [area, ...names] = operationId.split(".");
	return area === tags[0] ? names.join("_") : [area, ...names].join("_");
}

/** An operation whose path has other names for its parameters. */
export function renameParameters(operation: OperationObject, from: string, to: string): OperationObject {
	if (from === to) return operation;
	const names = new Map(pathParameters(from).map((name, at) => [name, pathParameters(to)[at] ?? name]));
	const parameters = (operation.parameters ?? []).map((parameter) =>
		"$ref" in parameter || parameter.in !== "path"
			? parameter
			: { ...parameter, name: names.get(parameter.name) ?? parameter.name },
	);
	return { ...operation, parameters };
}

function mergeBodies(
	first: OperationObject["requestBody"],
	second: OperationObject["requestBody"],
): OperationObject["requestBody"] {
	if (first === undefined || second === undefined) {
		const only = first ?? second;
		return only && { ...only, required: false };
	}
	const [left, right] = [first, second].map(({ content }) => content["application/json"]);
	const schema = eitherOf(left?.schema ?? {}, right?.schema ?? {});
	return {
		required: first.required && second.required,
		// An example of either is one of both.
		content: { "application/json": { ...right, ...left, schema } },
	};
}

function mergeParameters(
	first: OperationObject["parameters"] = [],
	second: OperationObject["parameters"] = [],
): (ParameterObject | Reference)[] {
	const keyOf = (each: ParameterObject | Reference): string =>
		"$ref" in each ? each.$ref : `${each.in} ${each.name}`;
	const merge = (left: ParameterObject | Reference, others: readonly (ParameterObject | Reference)[]) => {
		const right = others.find((other) => keyOf(other) === keyOf(left));
		if ("$ref" in left) return left;
		if (right === undefined || "$ref" in right) return { ...left, required: left.in === "path" };
		const schema = eitherOf(left.schema, right.schema);
		return { ...left, required: left.in === "path" || (left.required && right.required), schema };
	};
	const known = new Set(first.map(keyOf));
	const added = second.filter((each) => !known.has(keyOf(each)));
	return [...first.map((each) => merge(each, second)), ...added.map((each) => merge(each, []))];
}

function mergeResponses(
	first: OperationObject["responses"],
	second: OperationObject["responses"],
	components: Readonly<Record<string, ResponseObject>>,
): OperationObject["responses"] {
	const merged = { ...second, ...first };
	for (const [status, left] of Object.entries(first)) {
		const right = second[status];
		if (right === undefined || isSame(left, right)) continue;
		merged[status] = mergeResponse(resolve(left, components), resolve(right, components));
	}
	return merged;
}

function mergeResponse(left: ResponseObject, right: ResponseObject): ResponseObject {
	const codes = [...new Set([...(left["x-error-codes"] ?? []), ...(right["x-error-codes"] ?? [])])];
	const lines = new Set([left, right].flatMap(({ description }) => description.split("\n")));
	const [type = "application/json"] = Object.keys(left.content ?? right.content ?? {});
	const [one, other] = [left, right].map(({ content }) => content?.[type]?.schema);
	const schema = one === undefined || other === undefined ? (one ?? other) : eitherOf(one, other);
	return {
		...left,
		description: [...lines].join("\n"),
		...(codes.length === 0 ? {} : { "x-error-codes": codes }),
		...(schema === undefined ? {} : { content: { [type]: { schema } } }),
	};
}

function resolve(
	response: ResponseObject | Reference,
	components: Readonly<Record<string, ResponseObject>>,
): ResponseObject {
	if (!("$ref" in response)) return response;
	const found = components[response.$ref.slice(response.$ref.lastIndexOf("/") + 1)];
	if (found === undefined) throw new Error(`${response.$ref} is no component`);
	return found;
}

/** A value of one schema or the other. Envelopes differ in their data alone. */
function eitherOf(left: JsonSchema, right: JsonSchema): JsonSchema {
	if (isSame(left, right)) return left;
	const [data, other] = [left.properties?.["data"], right.properties?.["data"]];
	if (data !== undefined && other !== undefined) {
		return { ...left, properties: { ...left.properties, data: eitherOf(data, other) } };
	}
	const { anyOf, ...rest } = left;
	const isChoice = Array.isArray(anyOf) && Object.keys(rest).length === 0;
	return { anyOf: [...(isChoice ? anyOf : [left]), right] };
}

function isSame(left: object, right: object): boolean {
	return JSON.stringify(left) === JSON.stringify(right);
}

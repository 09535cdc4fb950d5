import type { JsonSchema } from "../../openapi/document.ts";
import type { PageQuery } from "../contract.ts";
import { ControlRejection } from "../control-rejection.ts";

/** The most items of a page. */
const MAX_LIMIT = 500;

/** How a parameter is read, and what describes it. */
export interface QueryParameter<Value> {
	readonly schema: JsonSchema;
	readonly isRequired?: boolean;
	/** @throws ControlRejection when the value is invalid. */
	read(name: string, value: string): Value;
}

/** The parameters of a list. */
export const PAGE_PARAMETERS: {
	readonly [Name in keyof Required<PageQuery>]: QueryParameter<PageQuery[Name]>;
} = {
	before: integerUpTo(Number.MAX_SAFE_INTEGER),
	after: integerUpTo(Number.MAX_SAFE_INTEGER),
	limit: integerUpTo(MAX_LIMIT),
	conversation: anyString(),
	kind: anyString(),
	failed: boolean(),
	search: anyString(),
};

const NAMES = Object.keys(PAGE_PARAMETERS).join(", ");

/**
 * Reads a query from its parameters; an empty value is absent.
 * @throws ControlRejection that names the invalid parameter.
 */
export function parsePageQuery(parameters: URLSearchParams): PageQuery {
	for (const name of parameters.keys()) {
		if (!Object.hasOwn(PAGE_PARAMETERS, name)) {
			throw new ControlRejection("invalid_query", `The parameters are ${NAMES}.`);
		}
	}
	const read = <Name extends keyof PageQuery>(name: Name): PageQuery[Name] | undefined => {
		const value = parameters.get(name) ?? "";
		return value === "" ? undefined : PAGE_PARAMETERS[name].read(name, value);
	};
	return {
		before: read("before"),
		after: read("after"),
		limit: read("limit"),
		conversation: read("conversation"),
		kind: read("kind"),
		failed: read("failed"),
		search: read("search"),
	};
}

function integerUpTo(maximum: number): QueryParameter<number> {
	return {
		schema: { type: "integer", minimum: 1, maximum },
		read(name, value) {
			const number = Number(value);
			if (/^\d+$/.test(value) && number >= 1 && number <= maximum) return number;
			throw new ControlRejection("invalid_query", `${name} must be an integer from 1 to ${maximum}.`);
		},
	};
}

function boolean(): QueryParameter<boolean> {
	return {
		schema: { type: "boolean" },
		read(name, value) {
			if (value === "true" || value === "false") return value === "true";
			throw new ControlRejection("invalid_query", `${name} must be true or false.`);
		},
	};
}

function anyString(): QueryParameter<string> {
	return { schema: { type: "string" }, read: (_name, value) => value };
}

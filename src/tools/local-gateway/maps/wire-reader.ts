import { isJsonObject } from "../../../library/is-object.ts";
import { valueAtSteps, type WirePlace, type WireSteps } from "../../../library/maps/wire-path.ts";

/** A request as it arrived. */
export interface ArrivedRequest {
	/** The path's parameters, decoded. */
	readonly params: Readonly<Record<string, unknown>>;
	readonly query: URLSearchParams;
	readonly headers: Headers;
	/** The parsed body. */
	readonly body: unknown;
}

/** Reads the places of a request, and knows which values were not read. */
export class WireReader {
	readonly #request: ArrivedRequest;
	readonly #parameters: Set<string>;
	#rest: unknown;

	constructor(request: ArrivedRequest) {
		this.#request = request;
		this.#parameters = new Set(request.query.keys());
		this.#rest = request.body;
	}

	/** The value at a place; of a place that ends in a list, the list. `undefined` if there is none. */
	read({ part, name, steps }: WirePlace): unknown {
		const { params, query, headers, body } = this.#request;
		if (part === "params") return params[name];
		if (part === "headers") return headers.get(name) ?? undefined;
		if (part === "query") {
			this.#parameters.delete(name);
			const [value, ...others] = query.getAll(name);
			return others.length === 0 ? value : [value, ...others];
		}
		const whole = steps.at(-1) === 0 ? steps.slice(0, -1) : steps;
		const value = valueAtSteps(body, whole);
		if (value !== undefined) this.#rest = withoutValue(this.#rest, whole);
		return value;
	}

	/** The places of values that were not read. */
	get unread(): string[] {
		return [...this.#parameters, ...leavesOf(this.#rest, "")];
	}
}

function withoutValue(value: unknown, [step, ...rest]: WireSteps): unknown {
	if (step === undefined) return undefined;
	if (step === 0) return Array.isArray(value) ? [withoutValue(value[0], rest), ...value.slice(1)] : value;
	return isJsonObject(value) ? { ...value, [step]: withoutValue(value[step], rest) } : value;
}

function leavesOf(value: unknown, path: string): string[] {
	if (value === undefined) return [];
	if (typeof value !== "object" || value === null) return [path];
	return Object.entries(value).flatMap(([name, member]) =>
		leavesOf(member, path === "" ? name : `${path}.${name}`),
	);
}

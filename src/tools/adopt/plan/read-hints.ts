import { OPERATIONS, type OperationId } from "../../../library/catalogue/index.ts";
import type { HttpMethod } from "../../../library/catalogue/operation.ts";
import type { OperationProfile } from "../../../library/catalogue/profile.ts";
import { isJsonObject } from "../../../library/is-object.ts";
import type { PlanHint, PlanHints } from "./plan-types.ts";

/** What a flag has where only the user knows. */
const PLACEHOLDERS = ["VALUE", "NUMBER", "METHOD /path"];

/**
 * Reads what the user says: `messages.sendText="POST /v2/send"`, `messages.sendText.number=to`, `defaults.from=+15550000001`.
 * @param maps - parts of a profile, by operation.
 * @param reject - creates the error for a setting that says nothing.
 */
export function readHints(
	settings: readonly string[],
	maps: unknown,
	reject: (problem: string) => Error,
): PlanHints {
	const operations: Partial<Record<OperationId, PlanHint>> = {};
	let from: string | undefined;
	for (const setting of settings) {
		const at = setting.indexOf("=");
		const name = setting.slice(0, at);
		const value = setting.slice(at + 1);
		if (PLACEHOLDERS.includes(value)) throw reject(`${setting}: put your own in place of ${value}`);
		if (name === "defaults.from") {
			if (!/^\+[1-9]\d{6,14}$/.test(value))
				throw reject("defaults.from must be a number in E.164, such as +15550000001");
			from = value;
			continue;
		}
		const id = OPERATIONS.map((operation) => operation.id).find(
			(each) => name === each || name.startsWith(`${each}.`),
		);
		if (at < 1 || id === undefined) {
			throw reject(
				'give OPERATION="METHOD /path", OPERATION.NAME=VALUE or defaults.from=NUMBER, such as messages.sendText.number=to',
			);
		}
		const hint: PlanHint = operations[id] ?? { places: {} };
		if (name !== id) {
			const places = { ...hint.places, [name.slice(id.length + 1)]: value };
			operations[id] = { ...hint, places };
			continue;
		}
		const [, method, path] = /^(GET|POST|PUT|PATCH|DELETE) (\/\S*)$/.exec(value) ?? [];
		if (!isMethod(method) || path === undefined)
			throw reject(`${id} must be a method and a path, such as "POST /v2/send"`);
		operations[id] = { ...hint, route: { method, path } };
	}
	return { operations, maps: readMaps(maps, reject), from };
}

function readMaps(given: unknown, reject: (problem: string) => Error): PlanHints["maps"] {
	if (given === undefined) return {};
	const operations = isJsonObject(given) && isJsonObject(given["operations"]) ? given["operations"] : given;
	if (!isJsonObject(operations)) throw reject("the maps must be an object of operations");
	const maps: Partial<Record<OperationId, OperationProfile>> = {};
	for (const [name, profile] of Object.entries(operations)) {
		const known = OPERATIONS.find(({ id }) => id === name);
		if (known === undefined || !isJsonObject(profile)) throw reject("the maps name what is no operation");
		maps[known.id] = profile;
	}
	return maps;
}

function isMethod(value: string | undefined): value is HttpMethod {
	return value !== undefined;
}

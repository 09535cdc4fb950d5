import fc from "fast-check";
import type { OperationId, Profile } from "messaging-gateway";
import { profileFromJson } from "messaging-gateway/maps";
import { describe, expect, test } from "vitest";
import { OPERATIONS } from "../../src/library/catalogue/index.ts";
import { namesPath } from "../../src/library/catalogue/known-path.ts";
import type { Operation } from "../../src/library/catalogue/operation.ts";
import { prepareRequest, readBaseUrl, splitInput } from "../../src/library/client/request.ts";
import { decodePayload } from "../../src/library/webhooks/decode-payload.ts";
import { decodeInput } from "../../src/tools/local-gateway/decode-input.ts";
import { writeMappedResponse } from "../../src/tools/local-gateway/maps/write-mapped-response.ts";
import { encodePayload } from "../../src/tools/local-gateway/payloads.ts";
import { createRouter } from "../../src/tools/local-gateway/router.ts";
import { resolveSettings } from "../../src/tools/local-gateway/settings.ts";
import { routesOf } from "../../src/tools/routes.ts";
import { cases } from "../support/cases.ts";
import { changedInput, operationSamples } from "../support/operation-samples.ts";
import { inboundMessage, inboundReaction, statusUpdate } from "../support/webhook-payloads.ts";
import { ACCEPTED_CHANGES } from "./operation-inputs.ts";

type Fields = Record<string, unknown>;

const TIMES = /^(after|before|timestamp_ms|markedAt|checkedAt|lastSeenAt)$|^durationMs$/;

/** The operations, each with its valid inputs. */
const CASES = OPERATIONS.map((operation: Operation<unknown, unknown, OperationId>) => ({
	operation,
	inputs: [
		operationSamples[operation.id].input,
		...ACCEPTED_CHANGES.filter(([id]) => id === operation.id)
			.map(([id, , changes]) => changedInput(id, changes))
			// Nothing beyond the length of a URL.
			.filter((input) => JSON.stringify(input).length < 5_000),
	],
}));

/** A number that chooses among the ways to write a field. */
const choice = fc.integer({ min: 0, max: 1_000 });

/** A place for a field, and its source there. */
function placeFor(
	name: string,
	value: unknown,
	n: number,
	{ input }: Operation<unknown, unknown>,
): [string, unknown] {
	const isList = namesPath(input, `${name}.0`);
	if (name === "attachments") {
		const item = { "file.link": "url", "file.content": "data", name: "name", type: "mimeType" };
		const kind = { kind: { value: "file" } };
		return n % 2 === 0
			? ["media", { each: name, item }]
			: ["media.parts", { parts: [{ when: name, item: { ...kind, ...item } }] }];
	}
	if (name === "attachment") {
		const item = { link: "url", content: "data", name: "name", type: "mimeType" };
		return ["media", { each: name, item, ...(n % 2 === 0 ? { as: "first" } : {}) }];
	}
	if (TIMES.test(name)) return [`?${name}[at]`, { from: name, unit: n % 2 === 0 ? "iso" : "ms" }];
	const isText = typeof value === "string" && /^[\x21-\x7e]{1,100}$/.test(value);
	const source = isText && n % 3 === 0 ? { from: name, map: { [value]: `${name}.OTHER`, unused: 5 } } : name;
	const places = [`x-${name}`, `deep.${name}.value`, `all[].${name}`, `?f.${name}`];
	if (isText && !isList) places.push(`{p_${name}}`, `header:X-F-${name.replaceAll("_", "-")}`);
	places.push(`${name}[]`);
	if (value === null || value === "") places.splice(3);
	return [places[n % places.length] ?? name, source];
}

/** Writes an input by a random map, sends it over the wire, and reads it by the same map. */
async function sendAndRead(
	operation: Operation<unknown, unknown, OperationId>,
	input: Fields,
	numbers: readonly number[],
): Promise<unknown> {
	const request = Object.fromEntries(
		Object.entries(input).map(([name, value], at) => placeFor(name, value, numbers[at] ?? 0, operation)),
	);
	const path = ["/wire", ...Object.keys(request).filter((place) => place.startsWith("{"))].join("/");
	const map = { request: { ...request, kind: { value: 1 }, "header:X-Id": { uuid: true } } };
	const profile = profileFromJson({ operations: { [operation.id]: { method: "POST", path, map } } });
	const parts = splitInput(operation, input, profile.operations?.[operation.id], profile);
	const sent = prepareRequest(parts, readBaseUrl("https://gateway.example"), profile);
	const { pathname, searchParams: query } = sent.parsedUrl;
	const { match } = createRouter(routesOf(profile), "")(sent.method, pathname);
	if (match?.operation.id !== operation.id) throw new Error(`${sent.method} ${pathname} is another route`);
	const arrived = { match, query, headers: new Headers(sent.headers), body: sent.body ?? new Uint8Array() };
	return decodeInput(operation, arrived, resolveSettings({ profile }));
}

describe("a request that is written by a map and read by the same map is the input:", () => {
	test.each(CASES)("$operation.id", async ({ operation, inputs }) => {
		await fc.assert(
			fc.asyncProperty(
				fc.constantFrom(...inputs),
				fc.array(choice, { minLength: 12, maxLength: 12 }),
				async (input, numbers) => {
					expect(await sendAndRead(operation, input, numbers)).toEqual(input);
				},
			),
			{ numRuns: cases(300) },
		);
	});
});

/** The paths of a sample's fields, to the depth at which ours have names. */
function pathsOf(data: Fields): string[] {
	return Object.entries(data).flatMap(([name, value]) =>
		typeof value === "object" &&
		value !== null &&
		!Array.isArray(value) &&
		["message", "mapping", "agent"].includes(name)
			? Object.keys(value).map((inner) => `${name}.${inner}`)
			: [name],
	);
}

function fieldFor(path: string, value: unknown, n: number): unknown {
	const name = path.replace(".", "_");
	const at = [`x-${name}`, `deep.${name}.value`, `all[].${name}`, `${name}[]`][
		n % (Array.isArray(value) ? 2 : 4)
	];
	if (TIMES.test(path.split(".").at(-1) ?? "")) return { at, unit: n % 2 === 0 ? "iso" : "ms" };
	const isPlain = typeof value === "string" || typeof value === "boolean";
	return isPlain && n % 3 === 0 ? { at, map: { OTHER: value } } : at;
}

describe("a response that is written by a map and read by the same map is the data:", () => {
	const described = CASES.filter(({ operation }) => operation.id !== "health.check");
	test.each(described)("$operation.id", async ({ operation }) => {
		const { data, input } = operationSamples[operation.id];
		const { pageItems } = operation;
		const [item] = pageItems === undefined ? [data] : (data[pageItems] as Fields[]);
		fc.assert(
			fc.property(fc.array(choice, { minLength: 20, maxLength: 20 }), fc.boolean(), (numbers, isRooted) => {
				const fields = Object.fromEntries(
					pathsOf(item ?? {}).map((path, at) => {
						const value = path.split(".").reduce<unknown>((parent, name) => (parent as Fields)[name], item);
						return [path, fieldFor(path, value, numbers[at] ?? 0)];
					}),
				);
				const page = pageItems === undefined ? {} : { list: "items.all", next: { cursor: "items.next" } };
				const response = { ...(isRooted ? { root: "a.b" } : {}), ...page, fields };
				const profile: Profile = profileFromJson({ operations: { [operation.id]: { map: { response } } } });
				const map = profile.operations?.[operation.id]?.map?.response;
				if (map === undefined) throw new Error("the map is gone");
				const wire = writeMappedResponse(pageItems, map, data, input);
				const decode = profile.mapper?.decoderOf(operation, profile.operations?.[operation.id]);
				const context = { input, meta: undefined, status: 200 };
				expect(decode?.(JSON.parse(JSON.stringify(wire)), context)).toEqual(data);
			}),
			{ numRuns: cases(300) },
		);
	});
});

const PAYLOADS: readonly Fields[] = [
	inboundMessage,
	inboundReaction,
	{ ...inboundReaction, removed: true },
	{ ...statusUpdate, error: { code: 5 } },
];

describe("an event that is written by a map and read by the same map is the event:", () => {
	test.each(["inbound_message", "inbound_reaction", "status"] as const)("%s", (kind) => {
		const root = fc.constantFrom(undefined, "data", "data.event", "events[]");
		const numbers = fc.array(choice, { minLength: 20, maxLength: 20 });
		fc.assert(
			fc.property(fc.constantFrom(...PAYLOADS), root, numbers, (payload, root, numbers) => {
				const { type, ...named } = payload;
				fc.pre((type ?? "status") === kind);
				const fields = Object.fromEntries(
					Object.entries(named)
						.filter((_, at) => (numbers[at] ?? 0) % 5 > 0)
						.map(([name, value], at) => [name, fieldFor(name, value, numbers[at] ?? 0)]),
				);
				const mark = [
					{ kind: "event", on: [true, "x"] },
					{ "event.type": [kind, "other"], off: false },
				];
				const maps = [
					{ kind: "status", when: { never: "fits" }, fields: {} },
					{ kind, when: mark[(numbers[19] ?? 0) % 2], fields, ...(root === undefined ? {} : { root }) },
				];
				const profile = profileFromJson({ events: { map: maps } });
				const wire = encodePayload(payload, profile);
				const decoded = decodePayload({}, JSON.stringify(wire), profile);
				expect(decoded).toMatchObject({ ...payload, type: kind });
			}),
			{ numRuns: cases(300) },
		);
	});
});

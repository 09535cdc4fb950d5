import { routesOf } from "../../routes.ts";
import { createRouter } from "../router.ts";
import type { GatewaySettings } from "../settings.ts";
import type { RecordedRequest } from "../traffic.ts";
import { readMappedRequest } from "./read-mapped-request.ts";

/** What a recorded request says under our names; `undefined` if its operation has no map of its request. */
export function readRecordedInput(
	{ method, path, query, headers, body, operationId }: RecordedRequest,
	{ profile, basePath }: Pick<GatewaySettings, "profile" | "basePath">,
): Readonly<Record<string, unknown>> | undefined {
	if (profile.mapper === undefined) return undefined;
	const own = routesOf(profile).filter(({ operation }) => operation.id === operationId);
	for (const { route, parameters } of createRouter(own, basePath)(method, path).matches) {
		if (route.request === undefined) continue;
		const arrived = {
			params: Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, decoded(value)])),
			query: new URLSearchParams(query),
			headers: new Headers(headers),
			body: parsed(body),
		};
		const readText = (_: string, text: string): string => text;
		const { input, wrong } = readMappedRequest(route.request, arrived, {
			input: route.operation.input,
			readText,
		});
		if (wrong.length === 0) return input;
	}
	return undefined;
}

function decoded(value: string): string {
	try {
		return decodeURIComponent(value);
	} catch {
		return value;
	}
}

function parsed(body: string): unknown {
	try {
		return JSON.parse(body);
	} catch {
		return undefined;
	}
}

import { namesPath } from "../catalogue/known-path.ts";
import {
	defineProfile,
	type OperationProfile,
	type Profile,
	type ProfileMapper,
} from "../catalogue/profile.ts";
import { assertObject } from "../check-options.ts";
import { isPlainObject } from "../is-object.ts";
import { randomUuid } from "../runtime.ts";
import { assertMaps } from "./check-maps.ts";
import { chooseRoute } from "./choose-route.ts";
import { decodeEvent } from "./decode-event.ts";
import { decodeResponse, isWithoutBody } from "./decode-response.ts";
import { encodeRequest } from "./encode-request.ts";

const MAPPER: ProfileMapper = {
	assertMaps,
	routeOf: chooseRoute,
	encode(operation, route, input, { profile, id }) {
		const operations: Readonly<Record<string, OperationProfile | undefined>> = profile.operations ?? {};
		const { routes = [], map } = operations[operation.id] ?? {};
		const { from } = profile.defaults ?? {};
		const uuid = id === undefined ? randomUuid() : toUuid(id);
		return encodeRequest(operation, route, { input, from, uuid, next: map?.response?.next, routes });
	},
	decoderOf(operation, override) {
		const map = override?.map?.response;
		return map && ((data, { input }) => decodeResponse(operation, map, data, input));
	},
	needsNoBody: isWithoutBody,
	decodeEvent,
	addDefaults({ input: schema, provenance }, { defaults: { from } = {} }, input) {
		const isNeeded = from !== undefined && provenance !== "custom" && namesPath(schema, "from");
		return isNeeded ? { from, ...input } : input;
	},
};

/** A UUID of other bits (RFC 9562, version 8). */
function toUuid(hex: string): string {
	return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-8$3-8$4-$5");
}

/**
 * Makes a profile from data, such as a parsed `profile.json`. Its operations may have `routes` and a `map`, and its
 * events a `map`, instead of functions. You get a frozen copy, for the client, the webhook functions and the local
 * gateway alike.
 *
 * @example
 * ```ts
 * const profile = profileFromJson(JSON.parse(await readFile("profile.json", "utf8")));
 * const gateway = new MessagingGateway({ profile });
 * ```
 * @throws ConfigurationError (`configuration`) if a part of it is unknown or invalid.
 */
export function profileFromJson(json: unknown): Profile {
	assertObject("the profile", json);
	const profile: Profile = { ...json };
	const operations: readonly unknown[] = Object.values(Object(profile.operations));
	const parts: readonly unknown[] = [...operations, profile.events];
	const isMapped = parts.some((each) => isPlainObject(each) && ("map" in each || "routes" in each));
	return defineProfile(isMapped || profile.defaults !== undefined ? { ...profile, mapper: MAPPER } : profile);
}

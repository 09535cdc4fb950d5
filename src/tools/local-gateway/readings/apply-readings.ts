import { ConfigurationError } from "../../../library/errors.ts";
import { isJsonObject } from "../../../library/is-object.ts";
import type { LocalGatewayOptions, RuleOptions, WebhookOptions } from "../options.ts";
import { encodePayload } from "../payloads.ts";
import { readNames } from "./check-readings.ts";
import type { Choices, EncodeResponse, GatewayResponse, SentPayload, WebhookChoices } from "./choices.ts";
import { CHOICES } from "./choices-by-reading.ts";

type EncodeEvent = NonNullable<WebhookOptions["encode"]>;

/** The options beside `readings`. */
export interface OwnOptions extends Omit<LocalGatewayOptions, "readings" | "rules"> {
	rules?: RuleOptions | undefined;
}

/** The options together with what readings choose. */
export interface ChosenOptions
	extends Omit<OwnOptions, keyof Choices>,
		Omit<Choices, "webhooks" | "eventFields" | "encodeResponse"> {
	readonly webhooks: WebhookChoices & { readonly encode: EncodeEvent };
	readonly encodeResponse: EncodeResponse;
}

/**
 * Adds what readings choose to the other options, which win.
 * @throws ConfigurationError if a reading's name is misspelt, or two of them contradict each other.
 */
export function applyReadings(readings: LocalGatewayOptions["readings"], own: OwnOptions): ChosenOptions {
	const chosen = readNames(readings).map((name) => CHOICES[name]);
	const layers: readonly (Choices & OwnOptions)[] = [...chosen, own];
	const { eventFields = {}, ...options } = layers.reduce(merge, {});
	const encoders = layers.flatMap(({ webhooks }) => webhooks?.encode ?? []);
	const responseEncoders = chosen.flatMap(({ encodeResponse }) => encodeResponse ?? []);
	return {
		...options,
		webhooks: {
			...options.webhooks,
			encode: (payload, kind) =>
				encodeInTurn(changeFields(payload, eventFields), kind, encoders).map((made) =>
					encodePayload(made, options.profile),
				),
		},
		encodeResponse: (response) =>
			responseEncoders.reduce<GatewayResponse>(
				(encoded, encode) => ({ operationId: response.operationId, ...encode(encoded) }),
				response,
			),
	};
}

/** Both, member by member; where both have a value, the upper one's counts. */
function merge<Value extends object>(lower: Value, upper: Value): Value {
	const members = Object.entries(upper).flatMap(([name, value]: [string, unknown]) => {
		const below: unknown = Reflect.get(lower, name);
		if (value === undefined) return [];
		return [[name, isJsonObject(below) && isJsonObject(value) ? merge(below, value) : value]];
	});
	return { ...lower, ...Object.fromEntries(members) };
}

function changeFields(payload: SentPayload, changes: NonNullable<Choices["eventFields"]>): SentPayload {
	const changed = Object.entries(changes)
		.filter(([name]) => Object.hasOwn(payload, name))
		.map(([name, change]) => [name, change(payload[name], payload)]);
	return { ...payload, ...Object.fromEntries(changed) };
}

/** Each function gets the payloads that the ones before it made. */
function encodeInTurn(
	payload: SentPayload,
	kind: Parameters<EncodeEvent>[1],
	encoders: readonly EncodeEvent[],
): readonly object[] {
	return encoders.reduce<readonly object[]>(
		(payloads, encode) => payloads.flatMap((made) => asPayloads(encode({ ...made }, kind))),
		[payload],
	);
}

/** @throws ConfigurationError if an encoder of the user's returned no list: JavaScript forgets a `return`. */
function asPayloads(encoded: unknown): readonly object[] {
	const isList = Array.isArray(encoded) && encoded.every((made) => typeof made === "object" && made !== null);
	if (isList) return encoded;
	throw new ConfigurationError(
		"webhooks.encode must return a list of payloads: [payload] changes nothing, [] drops the event",
	);
}

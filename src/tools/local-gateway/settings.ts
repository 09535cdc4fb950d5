import { assertAll } from "../../library/assert-argument.ts";
import { describeHandleProblem } from "../../library/catalogue/handle.ts";
import { OPERATIONS } from "../../library/catalogue/index.ts";
import { agentPhoneNumber, isHttpUrl } from "../../library/catalogue/input-fields.ts";
import { ASSUMED_LIMITS, type Limits } from "../../library/catalogue/limits.ts";
import { defineProfile, type Profile } from "../../library/catalogue/profile.ts";
import {
	assertFunction,
	assertKnownKeys,
	assertMethods,
	assertOneOf,
	assertPositiveInteger,
} from "../../library/check-options.ts";
import { ConfigurationError } from "../../library/errors.ts";
import { didYouMean } from "../../library/nearest-name.ts";
import { readSecretBytes } from "../../library/signing/hash.ts";
import type { NonceStore } from "../../library/signing/nonce-store.ts";
import { assertHeaderValue } from "../../library/signing/sign-request.ts";
import { type EncodingOfSecret, encodeSecret } from "../secret-encodings.ts";
import { isFetchable } from "./destination-url.ts";
import type { Delays } from "./magic-numbers.ts";
import type {
	DuplicateWindows,
	LocalGatewayOptions,
	RuleOptions,
	WebhookOptions,
	WebhookReceiver,
} from "./options.ts";
import { applyReadings, type ChosenOptions } from "./readings/apply-readings.ts";
import { assertPublicOptions } from "./readings/assert-public-options.ts";
import type { RuleChoices, WebhookChoices } from "./readings/choices.ts";

/** Options with every default filled in. */
type Filled<Options> = { readonly [Name in keyof Options]-?: Exclude<Options[Name], undefined> };

/** The rules, with every default filled in. */
export interface Rules extends Filled<Omit<RuleChoices, "duplicateWindowSeconds">> {
	readonly windowSeconds: Filled<DuplicateWindows>;
}

/** The options and what the readings choose, checked and with every default filled in. */
export interface GatewaySettings
	extends Filled<
		Pick<ChosenOptions, "unknownFields" | "mappingTimestamps" | "encodeResponse" | "keptConnections">
	> {
	readonly baseUrl: string;
	readonly basePath: string;
	readonly appId: string;
	readonly appSecret: string;
	readonly webhookSecret: string;
	readonly secrets: ReadonlyMap<string, string>;
	readonly agents: readonly string[];
	readonly deliverTo: string | WebhookReceiver | undefined;
	readonly rules: Rules;
	readonly delays: Filled<Delays>;
	readonly webhooks: Filled<WebhookChoices>;
	readonly maxEntries: number;
	readonly nonceStore: NonceStore | undefined;
	readonly profile: Profile;
	/** The profile's limits; assumed ones for those that it does not set. */
	readonly limits: Limits;
}

/** The default secret of the local gateway and of `createWebhookRequest`; no real secret looks like it. */
export function localWebhookSecret({ events }: Profile): string {
	return encodeSecret("local-webhook-secret", events?.secret);
}

/** Every option, to detect misspelt ones; the type ensures that none is missing. */
const OPTIONS: Readonly<Record<keyof LocalGatewayOptions, true>> = {
	baseUrl: true,
	appId: true,
	appSecret: true,
	webhookSecret: true,
	apps: true,
	agents: true,
	deliverTo: true,
	rules: true,
	readings: true,
	delays: true,
	webhooks: true,
	maxEntries: true,
	nonceStore: true,
	profile: true,
	clock: true,
};

const RULES: Readonly<Record<keyof RuleOptions, true>> = {
	duplicateWindowSeconds: true,
	maxConsecutiveMessages: true,
	consecutive: true,
};

const WEBHOOKS: Readonly<Record<keyof WebhookOptions, true>> = {
	retryDelaysMs: true,
	order: true,
	copies: true,
	statusCallback: true,
	encode: true,
};

/**
 * Checks the options, adds what the readings choose, and fills in the defaults.
 * @throws ConfigurationError naming the invalid option.
 */
export function resolveSettings(given: LocalGatewayOptions): GatewaySettings {
	const options = readOptions(given);
	const profile = resolveProfile(options.profile ?? {});
	const { appId = "local-app", agents = ["+15550000001"] } = options;
	const appEncoding = profile.signing?.secret;
	const { appSecret = encodeSecret("local-app-secret", appEncoding) } = options;
	const { webhookSecret = localWebhookSecret(profile), deliverTo, maxEntries = 10_000, nonceStore } = options;
	const { unknownFields = "rejected", mappingTimestamps = "milliseconds" } = options;
	const { encodeResponse, keptConnections = "served" } = options;
	const baseUrl = (options.baseUrl ?? "https://gateway.localhost").replace(/\/+$/, "");
	if (!isHttpUrl(baseUrl) || /[?#]/.test(baseUrl)) {
		throw new ConfigurationError("baseUrl must be an absolute http or https URL without a query");
	}
	const apps = Object.entries({ ...options.apps, [appId]: appSecret });
	assertAll([
		...apps.flatMap(([id, secret]) => [
			() => assertHeaderValue("appId", id),
			() => assertSecret(id === appId ? "appSecret" : "a secret of apps", secret, appEncoding),
		]),
		() => assertSecret("webhookSecret", webhookSecret, profile.events?.secret),
		...agents.map((agent, index) => () => assertPhoneNumber(`agents[${index}]`, agent)),
		() => assertPositiveInteger("maxEntries", maxEntries),
		() => assertMethods("nonceStore", nonceStore, ["remember"]),
		() => assertReceiver(deliverTo),
		() => resolveRules(options.rules),
		() => resolveDelays(options.delays),
		() => resolveWebhooks(options.webhooks),
	]);
	return {
		baseUrl,
		basePath: new URL(baseUrl).pathname.replace(/\/$/, ""),
		appId,
		appSecret,
		webhookSecret,
		secrets: new Map(apps),
		agents,
		deliverTo,
		rules: resolveRules(options.rules),
		delays: resolveDelays(options.delays),
		webhooks: resolveWebhooks(options.webhooks),
		unknownFields,
		mappingTimestamps,
		encodeResponse,
		keptConnections,
		maxEntries,
		nonceStore,
		profile,
		limits: { ...ASSUMED_LIMITS, ...withoutUndefined(options.profile?.limits) },
	};
}

function withoutUndefined(limits: Partial<Limits> = {}): Partial<Limits> {
	return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
}

/** Checks the names of the options, and adds what the readings choose. */
function readOptions(given: LocalGatewayOptions): ChosenOptions {
	const { readings, webhooks = {}, ...others } = Object(given) as LocalGatewayOptions;
	let rules: RuleOptions = {};
	assertAll([
		() => assertPublicOptions("options", given, Object.keys(OPTIONS)),
		() => {
			rules = readRules(others.rules ?? "on");
			assertPublicOptions("rules", rules, Object.keys(RULES));
		},
		() => assertPublicOptions("webhooks", webhooks, Object.keys(WEBHOOKS)),
		() => assertFunction("webhooks.encode", Object(webhooks).encode),
	]);
	return applyReadings(readings, { ...others, rules, webhooks });
}

function assertReceiver(deliverTo: LocalGatewayOptions["deliverTo"]): void {
	if (typeof deliverTo !== "string" || isFetchable(deliverTo)) return;
	throw new ConfigurationError(
		"deliverTo must be an absolute http or https URL without credentials, or a function",
	);
}

/** Rules that are off have no windows and no limit. */
export function readRules(rules: "on" | "off" | RuleOptions): RuleOptions {
	if (rules === "off") return { duplicateWindowSeconds: NO_WINDOWS, consecutive: "off" };
	if (typeof rules !== "string") return rules;
	if (rules === "on") return {};
	throw new ConfigurationError(
		`rules must be "on", "off" or an object of rules.${didYouMean(rules, ["off", "on"])}`,
	);
}

/**
 * Checks the rules and fills in the defaults.
 * @throws ConfigurationError naming the invalid rule.
 */
export function resolveRules(rules: RuleChoices = {}): Rules {
	const { duplicateWindowSeconds = {}, maxConsecutiveMessages = 5, consecutive = "enforce" } = rules;
	const { duplicateOf = "all", accountWindow = "all_contacts", withoutAgent = "reject" } = rules;
	const { replyClears = "contact", blockedAttempts = "ignored", compareText = "trimmed" } = rules;
	assertOneOf("rules.consecutive", consecutive, ["enforce", "warn", "off"]);
	assertKnownKeys("rules.duplicateWindowSeconds", duplicateWindowSeconds, Object.keys(NO_WINDOWS));
	const { contact = 300, agent = 120, account = 60 } = duplicateWindowSeconds;
	const windowSeconds = { contact, agent, account };
	for (const [scope, seconds] of Object.entries(windowSeconds)) {
		assertNotNegative(`rules.duplicateWindowSeconds.${scope}`, seconds);
	}
	assertPositiveInteger("rules.maxConsecutiveMessages", maxConsecutiveMessages);
	return {
		windowSeconds,
		maxConsecutiveMessages,
		consecutive,
		duplicateOf,
		accountWindow,
		replyClears,
		blockedAttempts,
		compareText,
		withoutAgent,
	};
}

const NO_WINDOWS = { contact: 0, agent: 0, account: 0 };

function resolveDelays(delays: Delays = {}): GatewaySettings["delays"] {
	const { sentMs = 20, deliveredMs = 40, readMs = 60, replyMs = 80, readLateMs = 5_000 } = delays;
	const resolved = { sentMs, deliveredMs, readMs, replyMs, readLateMs };
	assertKnownKeys("delays", delays, Object.keys(resolved));
	for (const [name, ms] of Object.entries(resolved)) assertNotNegative(`delays.${name}`, ms);
	return resolved;
}

function resolveWebhooks(webhooks: ChosenOptions["webhooks"]): GatewaySettings["webhooks"] {
	const { retryDelaysMs = [1_000, 2_000, 4_000, 8_000, 16_000], copies = 1, order = "by_message" } = webhooks;
	const { retryTimestamp = "new", retryEventId = "first", retryAfter = "ignored" } = webhooks;
	const { eventId = "of_event", rejections = "retried" } = webhooks;
	const { ownTapbacks = "omitted", statusCallback = "instead", encode } = webhooks;
	for (const ms of retryDelaysMs) assertNotNegative("webhooks.retryDelaysMs", ms);
	assertOneOf("webhooks.order", order, ["by_message", "none"]);
	assertPositiveInteger("webhooks.copies", copies);
	assertOneOf("webhooks.statusCallback", statusCallback, ["instead", "additional"]);
	return {
		retryDelaysMs: [...retryDelaysMs],
		rejections,
		retryAfter,
		retryTimestamp,
		retryEventId,
		eventId,
		order,
		copies,
		ownTapbacks,
		statusCallback,
		encode,
	};
}

/** Checks a profile. The client needs one direction of each codec, the gateway the other. */
function resolveProfile(profile: Profile): Profile {
	for (const { id } of OPERATIONS) {
		const operation = profile.operations?.[id];
		const needs = (part: string): ConfigurationError =>
			new ConfigurationError(`The local gateway needs profile.operations["${id}"].${part}`);
		if (operation?.request !== undefined && operation.request.decode === undefined) {
			throw needs("request.decode, the inverse of request.encode");
		}
		if (operation?.response !== undefined && operation.response.encode === undefined) {
			throw needs("response.encode, the inverse of response.decode");
		}
	}
	return defineProfile(profile);
}

/** @throws ConfigurationError when a phone number is not E.164. */
function assertPhoneNumber(name: string, value: string): void {
	if (agentPhoneNumber.safeParse(value).success) return;
	throw new ConfigurationError(`${name} must be a number in E.164, such as +15551234567`);
}

/** @throws ConfigurationError when a contact's handle is invalid. */
export function assertHandle(name: string, value: unknown, profile: Profile): void {
	const problem = describeHandleProblem(value, profile);
	if (problem !== undefined) throw new ConfigurationError(`${name}: the contact ${problem}`);
}

function assertSecret(name: string, secret: string, encoding: EncodingOfSecret | undefined): void {
	const problem = readSecretBytes(secret, encoding);
	if (typeof problem === "string") throw new ConfigurationError(`${name} ${problem}`);
}

/** @throws ConfigurationError when a number is negative or not finite. */
export function assertNotNegative(name: string, value: number): void {
	if (!Number.isFinite(value) || value < 0) throw new ConfigurationError(`${name} must be 0 or more`);
}

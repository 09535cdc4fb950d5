import { extname, resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { parseEnv } from "node:util";
import { MessagingGateway } from "#client";
import type { Profile } from "../../library/catalogue/profile.ts";
import { readEnvironment } from "../../library/host.ts";
import { profileFromJson } from "../../library/maps/profile-from-json.ts";
import { isLoopback } from "../../library/signing/loopback.ts";
import { isFetchable } from "../local-gateway/destination-url.ts";
import { DURATION_UNITS } from "../local-gateway/duration.ts";
import { toolFetch } from "../tool-fetch.ts";
import { encodeKeptSecrets, type KeptSecrets, readKeptSecrets } from "./credentials/kept-secrets.ts";
import { findRunningGateways } from "./credentials/running-gateways.ts";
import { messageOf, usageError } from "./failure.ts";
import { readTextInput } from "./read-input.ts";
import type { OptionsOf } from "./verb.ts";

/** The defaults of `messaging-gateway dev`. */
export const LOCAL_GATEWAY = {
	port: 8080,
	baseUrl: "http://localhost:8080",
	appId: "local-app",
} as const;

/** The flag that names a profile. */
export const PROFILE_FLAG = {
	"--profile <file>": "the profile: a JSON file, or a module, whose code runs",
} as const;

/** The flag of a verb that needs the webhook secret. */
export const WEBHOOK_SECRET_FLAG = {
	"--webhook-secret-file <file>":
		"a file with the secret (MESSAGING_GATEWAY_WEBHOOK_SECRET; default: the local gateway's)",
} as const;

/** The flags that name a client. */
export const CREDENTIAL_FLAGS = {
	"--app-id <id>": "the app id (MESSAGING_GATEWAY_APP_ID; default: the local gateway's)",
	"--app-secret-file <file>":
		"a file with the App Secret, - for standard input (MESSAGING_GATEWAY_APP_SECRET; default: the local gateway's)",
	...PROFILE_FLAG,
} as const;

/** The flags of every verb that calls a gateway. */
export const GATEWAY_FLAGS = {
	"--base-url <url>": "the gateway (MESSAGING_GATEWAY_BASE_URL; default: the local one that runs)",
	...CREDENTIAL_FLAGS,
} as const;

/** The options that name a gateway and its credentials. */
export type GatewayOptions = OptionsOf<typeof GATEWAY_FLAGS>;

/** What a client needs, whatever it was read from. */
export interface Access {
	readonly baseUrl: string;
	readonly appId: string;
	readonly appSecret: string;
	readonly profile: Profile | undefined;
}

/** Creates a client for the gateway that the options name; the local one by default. */
export async function createClient(options: GatewayOptions): Promise<MessagingGateway> {
	return new MessagingGateway({ ...(await readAccess(options)), fetch: toolFetch });
}

/** Reads the options that name a gateway, its credentials and its profile. */
export async function readAccess(options: GatewayOptions): Promise<Access> {
	const baseUrl = await chooseBaseUrl(options.baseUrl);
	const isLocal = isLocalUrl(baseUrl);
	const appId =
		options.appId ??
		readEnvironment("MESSAGING_GATEWAY_APP_ID") ??
		(isLocal ? LOCAL_GATEWAY.appId : undefined);
	const profile = await readProfile(options.profile);
	const appSecret =
		(await readSecret("MESSAGING_GATEWAY_APP_SECRET", options.appSecretFile)) ??
		(isLocal ? localSecrets("MESSAGING_GATEWAY_APP_SECRET", profile).appSecret : undefined);
	if (appId === undefined)
		throw usageError("the app id is missing", "Give --app-id, or set MESSAGING_GATEWAY_APP_ID.");
	if (appSecret === undefined) {
		throw usageError(
			"the App Secret is missing",
			"Set MESSAGING_GATEWAY_APP_SECRET, or give --app-secret-file.",
		);
	}
	return { baseUrl, appId, appSecret, profile };
}

/** The gateway that an option or the environment names. */
export function nameBaseUrl(given: string | undefined): string | undefined {
	return given ?? readEnvironment("MESSAGING_GATEWAY_BASE_URL");
}

/**
 * The gateway that an option or the environment names; otherwise the local one that runs.
 * @throws CommandFailure if several run.
 */
export async function chooseBaseUrl(given: string | undefined): Promise<string> {
	const named = nameBaseUrl(given);
	if (named !== undefined) return named;
	const running = (await findRunningGateways()).map((gateway) => gateway.baseUrl);
	const [baseUrl = LOCAL_GATEWAY.baseUrl] = running;
	if (running.length <= 1) return baseUrl;
	throw usageError(
		`${running.length} local gateways are running, ${running.join(" and ")}: name one with --base-url`,
	);
}

/**
 * Reads the secrets that `messaging-gateway dev` uses on this machine.
 * @param variable - the environment variable that the hint names.
 * @param profile - says what the secrets encode.
 * @throws CommandFailure if `dev` was never started.
 */
export function localSecrets(variable: string, profile: Profile | undefined): KeptSecrets {
	const secrets = readKeptSecrets();
	if (secrets !== undefined) return encodeKeptSecrets(secrets, profile);
	throw usageError(
		"this machine has no local secrets yet",
		`Start \`npx messaging-gateway dev\`, which creates them, or set ${variable}.`,
	);
}

/**
 * Reads a secret from a file, from standard input (`-`), or from the environment. Arguments hold no secrets,
 * because every user of the machine can see them. A trailing line end, which editors add, is removed.
 */
export async function readSecret(variable: string, file: string | undefined): Promise<string | undefined> {
	if (file === undefined) return readEnvironment(variable);
	const content = await readTextInput(file);
	return content.replace(/\r?\n$/, "");
}

/** Reads the webhook secret of a file or the environment, or that of this machine's gateway. */
export async function readWebhookSecret(
	file: string | undefined,
	profile: Profile | undefined,
): Promise<string> {
	const variable = "MESSAGING_GATEWAY_WEBHOOK_SECRET";
	return (await readSecret(variable, file)) ?? localSecrets(variable, profile).webhookSecret;
}

/**
 * Reads a profile. JSON can hold everything but functions; a module can hold these as well.
 * @throws ConfigurationError if a part of it is unknown or invalid.
 */
export async function readProfile(file: string | undefined): Promise<Profile | undefined> {
	if (file === undefined) return undefined;
	if (extname(file) === ".json") return profileFromJson(parseGivenJson(await readTextInput(file), file));
	const url = pathToFileURL(resolve(file)).href;
	const module: { default?: Profile; profile?: Profile } = await import(url).catch((error: Error) => {
		throw usageError(`the profile ${file} can't be loaded: ${error.message}`);
	});
	const profile = module.default ?? module.profile;
	if (profile === undefined) throw usageError(`${file} exports no profile`, "Export it as default.");
	return profileFromJson(profile);
}

/** Parses JSON from the user. `source` names it in the error. */
export function parseGivenJson(json: string, source: string): unknown {
	// It is invisible in the parser's own message.
	if (json.startsWith("\ufeff"))
		throw usageError(
			`${source} begins with a byte order mark (BOM), which JSON doesn't have`,
			"Save it as UTF-8 without BOM.",
		);
	try {
		return JSON.parse(json);
	} catch (error) {
		// The rest of the parser's message may quote the value.
		const [, position] = /at position (\d+)/.exec(messageOf(error)) ?? [];
		throw usageError(
			`${source} isn't JSON${position === undefined ? "" : ` from position ${position} on`}`,
			`In most shells JSON needs single quotes around it, and double quotes inside: '{"text": "Hello"}'.`,
		);
	}
}

/** Parses `field=string` and `field:=json`, the notation of HTTPie. */
export function parseFields(settings: readonly string[] = []): Record<string, unknown> {
	return Object.fromEntries(
		settings.map((setting) => {
			const [, name, colon, value] = /^(\w+)(:?)=(.*)$/s.exec(setting) ?? [];
			if (name === undefined || value === undefined)
				throw usageError(`--set ${setting}: give field=string or field:=json`);
			return [name, colon === ":" ? parseGivenJson(value, `--set ${name}`) : value];
		}),
	);
}

/** Reads an integer that a flag gives. */
export function readInteger(flag: string, value: string | undefined): number | undefined {
	if (value === undefined) return undefined;
	if (!/^\d{1,15}$/.test(value)) throw usageError(`${flag} must be a non-negative integer`);
	return Number(value);
}

const UNITS: Readonly<Record<string, number>> = { ...DURATION_UNITS, m: DURATION_UNITS.min };

/** Reads a duration such as `500 ms`, `90 s`, `10 min`, `1.5 h` or `2 d`, with or without the space, in milliseconds. */
export function readDuration(value: string): number {
	const [, count, unit = ""] = /^(\d+(?:\.\d+)?) ?([a-z]+)$/.exec(value) ?? [];
	const size = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined;
	if (size === undefined)
		throw usageError(`${value} isn't a duration`, "Write 500 ms, 90 s, 10 min, 1 h or 2 d.");
	return Math.round(Number(count) * size);
}

/** Reads the number of `--port`. */
export function readPort(port: string): number {
	if (/^\d{1,5}$/.test(port) && Number(port) <= 65_535) return Number(port);
	throw usageError("--port must be a port number from 0 to 65535");
}

/** Rejects anything but an absolute http or https URL without credentials, which an argument shows to other users. */
export function assertHttpUrl(option: string, url: string): void {
	if (!isFetchable(url)) throw usageError(`${option} must be an http or https URL without credentials`);
}

/** Whether a URL is on this machine, where the verbs use the kept secrets. */
export function isLocalUrl(url: string): boolean {
	return URL.canParse(url) && isLoopback(new URL(url).hostname);
}

/** Loads an environment file. Variables that are already set stay. */
export async function loadEnvironmentFile(file: string): Promise<void> {
	for (const [name, value] of Object.entries(parseEnv(await readTextInput(file))))
		process.env[name] ??= value;
}

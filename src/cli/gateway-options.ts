import { readFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { type Command, Option } from "commander";
import type { Profile } from "../catalogue/profile.ts";
import { MessagingGateway } from "../client/client.ts";
import { readEnvironment } from "../runtime.ts";
import { isLoopback } from "../signing/loopback.ts";
import { type KeptSecrets, readKeptSecrets } from "./credentials/kept-secrets.ts";
import { misused } from "./failure.ts";
import { readStandardInput } from "./terminal.ts";

/** How a gateway is reached, as given on the command line. */
export interface GatewayOptions {
	baseUrl?: string;
	appId?: string;
	appSecretFile?: string;
	profile?: string;
}

/** What `messaging-gateway dev` serves unless told otherwise. */
export const LOCAL_GATEWAY = {
	port: 8080,
	baseUrl: "http://localhost:8080",
	appId: "local-app",
} as const;

/** Adds the options of every verb that calls a gateway. */
export function withGatewayOptions(command: Command): Command {
	return command
		.option("--base-url <url>", `the gateway (MESSAGING_GATEWAY_BASE_URL; ${LOCAL_GATEWAY.baseUrl} without)`)
		.option("--app-id <id>", "the app id (MESSAGING_GATEWAY_APP_ID)")
		.option(
			"--app-secret-file <file>",
			"a file with the App Secret, - for standard input (MESSAGING_GATEWAY_APP_SECRET)",
		)
		.addOption(profileOption());
}

/** The option that names a profile. */
export function profileOption(): Option {
	return new Option("--profile <file>", "the profile: a JSON file, or a module with a default export");
}

/** A client for the gateway that the options name; the local one where nothing names any. */
export async function createClient(options: GatewayOptions): Promise<MessagingGateway> {
	const baseUrl = options.baseUrl ?? readEnvironment("MESSAGING_GATEWAY_BASE_URL") ?? LOCAL_GATEWAY.baseUrl;
	const isLocal = isLocalUrl(baseUrl);
	const appId =
		options.appId ??
		readEnvironment("MESSAGING_GATEWAY_APP_ID") ??
		(isLocal ? LOCAL_GATEWAY.appId : undefined);
	const appSecret =
		(await readSecret("MESSAGING_GATEWAY_APP_SECRET", options.appSecretFile)) ??
		(isLocal ? localSecrets("MESSAGING_GATEWAY_APP_SECRET").appSecret : undefined);
	if (appId === undefined)
		throw misused("the app id is missing", "Give --app-id, or set MESSAGING_GATEWAY_APP_ID.");
	if (appSecret === undefined) {
		throw misused(
			"the App Secret is missing",
			"Set MESSAGING_GATEWAY_APP_SECRET, or give --app-secret-file.",
		);
	}
	return new MessagingGateway({ baseUrl, appId, appSecret, profile: await readProfile(options.profile) });
}

/**
 * The secrets that `messaging-gateway dev` uses on this machine.
 * @param variable what sets the wanted one instead.
 * @throws CommandFailure where it was never started.
 */
export function localSecrets(variable: string): KeptSecrets {
	const secrets = readKeptSecrets();
	if (secrets !== undefined) return secrets;
	throw misused(
		"this machine has no local secrets yet",
		`\`messaging-gateway dev\` makes them at its first start; ${variable} sets one.`,
	);
}

/**
 * Reads a secret from a file, from standard input (`-`), or else from the environment; never from an argument, which
 * every user of the machine could see. The line end that editors add is taken off a file.
 */
export async function readSecret(variable: string, file: string | undefined): Promise<string | undefined> {
	if (file === undefined) return readEnvironment(variable);
	const content = file === "-" ? await readStandardInput() : await readNamedFile(file);
	return content.replace(/\r?\n$/, "");
}

/** Reads a profile: JSON holds the words and the signing, a module everything. */
export async function readProfile(file: string | undefined): Promise<Profile | undefined> {
	if (file === undefined) return undefined;
	if (extname(file) === ".json") return parseJson(await readNamedFile(file), file) as Profile;
	const url = pathToFileURL(resolve(file)).href;
	const module: { default?: Profile; profile?: Profile } = await import(url).catch((error: Error) => {
		throw misused(`the profile ${file} cannot be loaded: ${error.message}`);
	});
	const profile = module.default ?? module.profile;
	if (profile === undefined) throw misused(`${file} exports no profile`, "Export it as default.");
	return profile;
}

/** Reads a text file that the user named. */
export async function readNamedFile(file: string): Promise<string> {
	try {
		return await readFile(file, "utf8");
	} catch (error) {
		throw misused(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
	}
}

/** Parses JSON that the user gave. */
export function parseJson(text: string, source: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		throw misused(`${source} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
	}
}

/** Whether an address is this machine's, where a verb finds the credentials itself. */
export function isLocalUrl(url: string): boolean {
	return URL.canParse(url) && isLoopback(new URL(url).hostname);
}

/** Loads a file of variables; what is set already stays. */
export function loadEnvironmentFile(file: string): void {
	try {
		process.loadEnvFile(file);
	} catch (error) {
		throw misused(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
	}
}

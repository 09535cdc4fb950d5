import { chmodSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isJsonObject } from "../../catalogue/check.ts";
import { randomHex } from "../../runtime.ts";
import { describeSecretProblem } from "../../signing/secret.ts";
import { type CommandFailure, misused } from "../failure.ts";
import { createWholeFile, OWNER_ONLY } from "../whole-file.ts";
import { stateFolder } from "./state-folder.ts";

/** The secrets of the local gateway on this machine, the same for all of its starts. */
export interface KeptSecrets {
	readonly appSecret: string;
	readonly webhookSecret: string;
}

/** Bytes of randomness in each. */
const SECRET_BYTES = 24;

const OWNER_ONLY_FOLDER = 0o700;

/** Where the secrets are kept. */
export function secretsFile(): string {
	return join(stateFolder(), "local-secrets.json");
}

/**
 * The secrets of this machine; the first start makes them. Starts at the same moment agree.
 * @throws CommandFailure when they cannot be kept or read.
 */
export function keepSecrets(path = secretsFile()): KeptSecrets {
	const kept = readKeptSecrets(path);
	if (kept !== undefined) return kept;
	const secrets: KeptSecrets = {
		appSecret: `local-app-${randomHex(SECRET_BYTES)}`,
		webhookSecret: `local-webhook-${randomHex(SECRET_BYTES)}`,
	};
	try {
		mkdirSync(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER });
		chmodSync(dirname(path), OWNER_ONLY_FOLDER);
		if (createWholeFile(path, `${JSON.stringify(secrets)}\n`)) return secrets;
	} catch (error) {
		throw unusable(`the secrets cannot be kept in ${path}`, error);
	}
	const others = readKeptSecrets(path);
	if (others !== undefined) return others;
	throw unusable(`the secrets cannot be kept in ${path}`, "it is a link that leads nowhere");
}

/**
 * The secrets of this machine, where it has any.
 * @throws CommandFailure when they cannot be read.
 */
export function readKeptSecrets(path = secretsFile()): KeptSecrets | undefined {
	const content = readOwnFile(path);
	if (content === undefined) return undefined;
	const secrets = parseSecrets(content);
	if (secrets !== undefined) return secrets;
	throw misused(
		`${path} holds no local secrets`,
		"Delete it: the next `messaging-gateway dev` makes new ones.",
	);
}

function readOwnFile(path: string): string | undefined {
	try {
		const found = statSync(path, { throwIfNoEntry: false });
		if (found === undefined) return undefined;
		// Reading a pipe would wait for ever, and the mode of a device belongs to the whole machine.
		if (!found.isFile()) throw new Error("it is no file");
		// A copy may have become readable for others.
		if ((found.mode & 0o777) !== OWNER_ONLY) chmodSync(path, OWNER_ONLY);
		return readFileSync(path, "utf8");
	} catch (error) {
		throw unusable(`the secrets in ${path} cannot be read`, error);
	}
}

function parseSecrets(content: string): KeptSecrets | undefined {
	try {
		const value: unknown = JSON.parse(content);
		if (!isJsonObject(value)) return undefined;
		const { appSecret, webhookSecret } = value;
		return isSecret(appSecret) && isSecret(webhookSecret) ? { appSecret, webhookSecret } : undefined;
	} catch {
		return undefined;
	}
}

function isSecret(value: unknown): value is string {
	return describeSecretProblem(value) === undefined;
}

function unusable(problem: string, error: unknown): CommandFailure {
	return misused(
		`${problem}: ${error instanceof Error ? error.message : String(error)}`,
		"MESSAGING_GATEWAY_APP_SECRET and MESSAGING_GATEWAY_WEBHOOK_SECRET set them instead.",
	);
}

import { chmodSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isJsonObject } from "../../catalogue/check.ts";
import { randomHex } from "../../runtime.ts";
import { describeSecretProblem } from "../../signing/hash.ts";
import { type CommandFailure, messageOf, usageError } from "../failure.ts";
import { createWholeFile, OWNER_ONLY } from "../whole-file.ts";
import { stateFolder } from "./state-folder.ts";

/** The secrets of the local gateway on this machine, shared by all of its starts. */
export interface KeptSecrets {
	readonly appSecret: string;
	readonly webhookSecret: string;
}

/** Random bytes in each secret. */
const SECRET_BYTES = 24;

const OWNER_ONLY_FOLDER = 0o700;

/** The path of the file that keeps the secrets. */
export function secretsFile(): string {
	return join(stateFolder(), "local-secrets.json");
}

/**
 * Reads the secrets of this machine, or creates them. Concurrent first starts get the same secrets.
 * @throws CommandFailure when they cannot be written or read.
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
		throw unusable(`the secrets cannot be written to ${path}`, error);
	}
	const createdMeanwhile = readKeptSecrets(path);
	if (createdMeanwhile !== undefined) return createdMeanwhile;
	throw unusable(`the secrets cannot be written to ${path}`, "it is a broken link");
}

/**
 * Reads the secrets of this machine; `undefined` if it has none.
 * @throws CommandFailure when they cannot be read.
 */
export function readKeptSecrets(path = secretsFile()): KeptSecrets | undefined {
	const content = readOwnFile(path);
	if (content === undefined) return undefined;
	const secrets = parseSecrets(content);
	if (secrets !== undefined) return secrets;
	throw usageError(
		`${path} contains no valid secrets`,
		"Delete it; the next `messaging-gateway dev` creates new ones.",
	);
}

function readOwnFile(path: string): string | undefined {
	try {
		const found = statSync(path, { throwIfNoEntry: false });
		if (found === undefined) return undefined;
		// Reading a pipe would block, and changing a device's mode would affect the whole machine.
		if (!found.isFile()) throw new Error("it is not a regular file");
		// A copied file may be readable by others.
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
	return usageError(
		`${problem}: ${messageOf(error)}`,
		"Set MESSAGING_GATEWAY_APP_SECRET and MESSAGING_GATEWAY_WEBHOOK_SECRET instead.",
	);
}

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Profile } from "../../../library/catalogue/profile.ts";
import { isJsonObject } from "../../../library/is-object.ts";
import { readSecretBytes } from "../../../library/signing/hash.ts";
import { encodeSecret } from "../../secret-encodings.ts";
import { type KeptFile, keepValue, readKeptValue } from "./kept-file.ts";
import { stateFolder } from "./state-folder.ts";

/** The secrets of the local gateway on this machine, shared by all of its starts. */
export interface KeptSecrets {
	readonly appSecret: string;
	readonly webhookSecret: string;
}

/** Random bytes in each secret. */
const SECRET_BYTES = 24;

const FILE: KeptFile<KeptSecrets> = {
	what: "secrets",
	variables: "MESSAGING_GATEWAY_APP_SECRET and MESSAGING_GATEWAY_WEBHOOK_SECRET",
	create: () => ({
		appSecret: `local-app-${randomBytes(SECRET_BYTES).toString("hex")}`,
		webhookSecret: `local-webhook-${randomBytes(SECRET_BYTES).toString("hex")}`,
	}),
	parse(value) {
		if (!isJsonObject(value)) return undefined;
		const { appSecret, webhookSecret } = value;
		return isSecret(appSecret) && isSecret(webhookSecret) ? { appSecret, webhookSecret } : undefined;
	},
};

/** The path of the file that keeps the secrets. */
export function secretsFile(): string {
	return join(stateFolder(), "local-secrets.json");
}

/**
 * Reads the secrets of this machine, or creates them. Concurrent first starts get the same secrets.
 * @throws CommandFailure when they cannot be written or read.
 */
export function keepSecrets(path = secretsFile()): KeptSecrets {
	return keepValue(path, FILE);
}

/**
 * Reads the secrets of this machine; `undefined` if it has none.
 * @throws CommandFailure when they cannot be read.
 */
export function readKeptSecrets(path = secretsFile()): KeptSecrets | undefined {
	return readKeptValue(path, FILE);
}

/** The secrets as a profile has them: `dev` and the other verbs write the same. */
export function encodeKeptSecrets(
	{ appSecret, webhookSecret }: KeptSecrets,
	profile: Profile | undefined,
): KeptSecrets {
	return {
		appSecret: encodeSecret(appSecret, profile?.signing?.secret),
		webhookSecret: encodeSecret(webhookSecret, profile?.events?.secret),
	};
}

function isSecret(value: unknown): value is string {
	return typeof readSecretBytes(value) !== "string";
}

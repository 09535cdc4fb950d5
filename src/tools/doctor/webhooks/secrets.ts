import type { Profile } from "../../../library/catalogue/profile.ts";
import { readEnvironment } from "../../../library/host.ts";
import { constantTimeEqual, utf8 } from "../../../library/signing/bytes.ts";
import { readSecretBytes } from "../../../library/signing/hash.ts";
import { describePaste } from "../../../library/signing/pasted-secret.ts";
import { WEBHOOK_SECRET_VARIABLE } from "../../../library/webhooks/secret.ts";
import type { EncodingOfSecret } from "../../secret-encodings.ts";
import type { Mistake } from "./explanation.ts";

/** The secrets of the options. */
export interface GivenSecrets {
	/** The webhook secrets of the options or the environment, unchecked. */
	readonly given: readonly unknown[];
	readonly others: Readonly<Record<string, unknown>>;
	readonly appSecret: unknown;
	/** What the profile says that the webhook secrets encode. */
	readonly encoding: EncodingOfSecret;
	/** What it says that the App Secret encodes. */
	readonly appEncoding: EncodingOfSecret;
}

/** The secrets as `verifySignature` reads them, before it checks them. */
export function readSecrets(options: {
	secret?: unknown;
	otherSecrets?: Readonly<Record<string, unknown>> | undefined;
	appSecret?: unknown;
	profile?: Pick<Profile, "events" | "signing"> | undefined;
}): GivenSecrets {
	const {
		secret = readEnvironment(WEBHOOK_SECRET_VARIABLE),
		otherSecrets = {},
		appSecret,
		profile,
	} = options;
	return {
		given: Array.isArray(secret) ? secret : [secret],
		others: otherSecrets,
		appSecret,
		encoding: profile?.events?.secret ?? "text",
		appEncoding: profile?.signing?.secret ?? "text",
	};
}

/** Faults for which the verification rejects the secrets. */
export function findSecretFaults({ given, encoding }: GivenSecrets): Mistake[] {
	if (given.length === 0) return [missing()];
	return given.flatMap((secret) => {
		const problem = problemOf(secret, encoding);
		if (problem === undefined) return [];
		if (isAbsent(secret)) return [missing()];
		return [
			typeof secret === "string" && problem === describePaste(secret)
				? padded(secret)
				: { cause: "secret_unusable", message: `A webhook secret ${problem}.`, fix: howToPass(encoding) },
		];
	});
}

/** Likely but unproven faults of the secrets. */
export function suspectSecrets({ given, appSecret, encoding, appEncoding }: GivenSecrets): Mistake[] {
	const texts = given.filter(isText);
	const appKey = keyBytesOf(appSecret, appEncoding);
	const isAppSecret =
		(isText(appSecret) && texts.includes(appSecret)) ||
		given.some((secret) => {
			const key = keyBytesOf(secret, encoding);
			return key !== undefined && appKey !== undefined && constantTimeEqual(key, appKey);
		});
	return isAppSecret ? [IS_APP_SECRET] : [];
}

/** Whether a secret is a text that can be tried. */
export function isText(secret: unknown): secret is string {
	return typeof secret === "string" && !isAbsent(secret);
}

/** The key that a secret stands for: of a text that is not encoded also if the verification rejects it. */
export function keyBytesOf(secret: unknown, encoding: EncodingOfSecret): Uint8Array | undefined {
	if (encoding === "text" && isText(secret)) return utf8(secret);
	const bytes = readSecretBytes(secret, encoding);
	return typeof bytes === "string" ? undefined : bytes;
}

function isAbsent(secret: unknown): boolean {
	if (secret === undefined || secret === null) return true;
	if (typeof secret !== "string") return false;
	return /^\s*(undefined|null)\s*$/.test(secret) || problemOf(secret) === problemOf("");
}

function howToPass(encoding: EncodingOfSecret): string {
	if (encoding === "text")
		return "Pass the secret as the string that the account dashboard shows, or its bytes.";
	return `Copy the secret again, as the account dashboard shows it, or correct profile.events.secret, which is "${encoding}".`;
}

/** A function: bundlers do not drop an unused constant that is built from parts. */
function missing(): Mistake {
	return {
		cause: "secret_missing",
		message: 'A webhook secret is missing, empty, "undefined" or "null": a variable wasn\'t set.',
		fix: `Pass \`secret\`, or set ${WEBHOOK_SECRET_VARIABLE} in the environment that this code runs in.`,
	};
}

/** Found by the secret's form, or by a signature that matches without the padding. */
export function padded(secret: string): Mistake {
	const [problem = "has other characters around it"] = describePaste(secret)?.split(":") ?? [];
	return {
		cause: "secret_padded",
		message: `A webhook secret ${problem}.`,
		fix: "Correct the secret where it is kept: in the environment file, the secret store or the shell command.",
	};
}

/** What makes a secret unusable. */
function problemOf(secret: unknown, encoding?: EncodingOfSecret): string | undefined {
	const read = readSecretBytes(secret, encoding);
	return typeof read === "string" ? read : undefined;
}

const IS_APP_SECRET: Mistake = {
	cause: "request_signing_secret",
	message: "the webhook secret is the same string as the App Secret, which is for signing requests.",
	fix: "Pass the webhook secret of the account dashboard instead of the App Secret.",
};

import { readEnvironment } from "../../../library/host.ts";
import { describeSecretProblem } from "../../../library/signing/hash.ts";
import { WEBHOOK_SECRET_VARIABLE } from "../../../library/webhooks/secret.ts";
import type { Mistake } from "./explanation.ts";

/** The secrets of the options. */
export interface GivenSecrets {
	/** The webhook secrets of the options or the environment, unchecked. */
	readonly given: readonly unknown[];
	readonly others: Readonly<Record<string, unknown>>;
	readonly appSecret: unknown;
}

/** The secrets as `verifySignature` reads them, before it checks them. */
export function readSecrets(options: {
	secret?: unknown;
	otherSecrets?: Readonly<Record<string, unknown>> | undefined;
	appSecret?: unknown;
}): GivenSecrets {
	const { secret = readEnvironment(WEBHOOK_SECRET_VARIABLE), otherSecrets, appSecret } = options;
	return { given: Array.isArray(secret) ? secret : [secret], others: otherSecrets ?? {}, appSecret };
}

/** Faults for which the verification rejects the secrets. */
export function findSecretFaults({ given }: GivenSecrets): Mistake[] {
	if (given.length === 0) return [missing()];
	return given.flatMap((secret) => {
		const problem = describeSecretProblem(secret);
		if (problem === undefined) return [];
		if (isAbsent(secret)) return [missing()];
		return [
			problem === describeSecretProblem(" padded")
				? PADDED
				: { ...UNUSABLE, message: `A webhook secret ${problem}.` },
		];
	});
}

/** Likely but unproven faults of the secrets. */
export function suspectSecrets({ given, appSecret }: GivenSecrets): Mistake[] {
	const usable = given.filter(isUsable);
	return [
		...(usable.some((secret) => /^(["'`]).*\1$/s.test(secret)) ? [PADDED] : []),
		...(isUsable(appSecret) && usable.includes(appSecret) ? [IS_APP_SECRET] : []),
	];
}

/** Whether a secret can be tried. */
export function isUsable(secret: unknown): secret is string {
	return typeof secret === "string" && !isAbsent(secret);
}

function isAbsent(secret: unknown): boolean {
	if (secret === undefined || secret === null) return true;
	if (typeof secret !== "string") return false;
	return (
		/^\s*(undefined|null)\s*$/.test(secret) || describeSecretProblem(secret) === describeSecretProblem("")
	);
}

const UNUSABLE = {
	cause: "secret_unusable",
	fix: "Pass the secret as the string that the account dashboard shows.",
} as const;

/** A function: bundlers do not drop an unused constant that is built from parts. */
function missing(): Mistake {
	return {
		cause: "secret_missing",
		message: 'A webhook secret is missing, empty, "undefined" or "null": a variable was not set.',
		fix: `Pass \`secret\`, or set ${WEBHOOK_SECRET_VARIABLE} in the environment that this code runs in.`,
	};
}

/** Found by the secret's form, or by a signature that matches without the padding. */
export const PADDED: Mistake = {
	cause: "secret_padded",
	message: "A webhook secret has whitespace, a line end, an invisible character or quotes around it.",
	fix: "Remove the characters around the secret where it is kept: in the environment file, the secret store or the shell command.",
};

const IS_APP_SECRET: Mistake = {
	cause: "request_signing_secret",
	message: "The webhook secret is the same string as the App Secret, which is for signing requests.",
	fix: "Pass the webhook secret of the account dashboard instead of the App Secret.",
};

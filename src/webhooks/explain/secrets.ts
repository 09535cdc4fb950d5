import { readEnvironment } from "../../runtime.ts";
import { describeSecretProblem } from "../../signing/secret.ts";
import { WEBHOOK_SECRET_VARIABLE } from "../secret.ts";
import type { Mistake } from "./explanation.ts";

/** The secrets of the options. */
export interface GivenSecrets {
	/** What was given, or stands in the environment, as it is. */
	readonly given: readonly unknown[];
	readonly others: Readonly<Record<string, unknown>>;
	readonly appSecret: unknown;
}

/** The secrets as `verifySignature` takes them, before it checks them. */
export function readSecrets(options: {
	secret?: unknown;
	otherSecrets?: Readonly<Record<string, unknown>> | undefined;
	appSecret?: unknown;
}): GivenSecrets {
	const { secret = readEnvironment(WEBHOOK_SECRET_VARIABLE), otherSecrets, appSecret } = options;
	return { given: Array.isArray(secret) ? secret : [secret], others: otherSecrets ?? {}, appSecret };
}

/** What alone makes the verification refuse the secrets. */
export function findSecretFaults({ given }: GivenSecrets): Mistake[] {
	if (given.length === 0) return [MISSING];
	return given.flatMap((secret) => {
		const problem = describeSecretProblem(secret);
		if (problem === undefined) return [];
		if (isAbsent(secret)) return [MISSING];
		const isPadded = typeof secret === "string" && secret !== secret.trim();
		return [isPadded ? PADDED : describeUnusable(problem)];
	});
}

/** What speaks against the secrets without proving anything. */
export function suspectSecrets({ given, appSecret }: GivenSecrets): Mistake[] {
	const texts = given.filter(isText);
	return [
		...(texts.some((text) => /^(["'`]).*\1$/s.test(text)) ? [PADDED] : []),
		...(isText(appSecret) && texts.includes(appSecret) ? [IS_APP_SECRET] : []),
	];
}

/** A secret that can be tried. */
export function isText(secret: unknown): secret is string {
	return typeof secret === "string" && !isAbsent(secret);
}

function isAbsent(secret: unknown): boolean {
	if (secret === undefined || secret === null) return true;
	return typeof secret === "string" && ["", "undefined", "null"].includes(secret.trim());
}

function describeUnusable(problem: string): Mistake {
	return {
		cause: "secret_unusable",
		message: `A webhook secret ${problem}.`,
		fix: "Pass the secret as the text that the account dashboard shows.",
	};
}

const MISSING: Mistake = {
	cause: "secret_missing",
	message: "A webhook secret is missing, empty or the text of a variable that was not set.",
	fix: `Pass \`secret\`, or set ${WEBHOOK_SECRET_VARIABLE} in the environment that this code runs in.`,
};

/** Told both by the secret's looks and by a signature that matches without the padding. */
export const PADDED: Mistake = {
	cause: "secret_padded",
	message: "A webhook secret has white space, a line end or quotes around it.",
	fix: "Remove what stands around the secret where it is kept: in the environment file, the secret store or the shell command.",
};

const IS_APP_SECRET: Mistake = {
	cause: "request_signing_secret",
	message: "The webhook secret is the same text as the App Secret, which is for signing requests.",
	fix: "Pass the webhook secret of the account dashboard instead of the App Secret.",
};

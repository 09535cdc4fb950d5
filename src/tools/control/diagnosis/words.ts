import type { Remedy } from "./remedy.ts";

/** What a row of the tables says of a failure. */
export interface Words {
	readonly reason: string;
	readonly fix: string;
	readonly remedies?: readonly Remedy[];
}

/** A diagnosis of a cause in these words. */
export function describe<Cause extends string>(cause: Cause, { remedies = [], ...words }: Words) {
	return { cause, ...words, remedies };
}

/** How many characters of a secret are shown; a shorter secret than {@link LONG_ENOUGH} shows none. */
const SHOWN_CHARACTERS = 4;
const LONG_ENOUGH = 24;

/** A secret so that a person can compare it with another, and nobody can guess it. */
export function describeSecret(secret: string): string {
	return secret.length < LONG_ENOUGH
		? "the gateway's webhook secret"
		: `the webhook secret ending …${secret.slice(-SHOWN_CHARACTERS)}`;
}

/** A URL without its query, which may hold a secret. */
export function describeUrl(url: string): string {
	const { origin, pathname } = new URL(url);
	return `${origin}${pathname}`;
}

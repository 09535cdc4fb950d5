import { ConfigurationError } from "../errors.ts";
import type { Deadline } from "./deadline.ts";
import { assertSecret } from "./options.ts";
import { toSafeCause } from "./safe-cause.ts";

/** A function that fetches the secret, and the last secret that it brought. */
export class SecretSource {
	readonly #fetch: () => string | Promise<string>;
	/** The secret that is in use, and which question brought it. */
	#known: { readonly secret: string; readonly question: number } | undefined;
	/** A question that later calls may wait for, too. */
	#asking: Promise<string> | undefined;
	#questions = 0;

	constructor(fetch: () => string | Promise<string>) {
		this.#fetch = fetch;
	}

	/** The secret in use, or the first one. */
	read(deadline: Deadline): string | Promise<string> {
		return this.#known?.secret ?? this.#ask(deadline);
	}

	/**
	 * The secret in use where it is not the rejected one, since a call that was rejected at the same time may have asked
	 * already; otherwise what the function says now. Until that is there, the rejected one stays in use.
	 */
	readOther(rejected: string, deadline: Deadline): string | Promise<string> {
		const known = this.#known?.secret;
		return known === undefined || known === rejected ? this.#ask(deadline) : known;
	}

	async #ask(deadline: Deadline): Promise<string> {
		this.#asking ??= this.#start();
		const asking = this.#asking;
		try {
			return await deadline.limit(asking);
		} catch (error) {
			// What failed, or did not come in time, must not keep the next call waiting.
			if (this.#asking === asking) this.#asking = undefined;
			throw error;
		}
	}

	async #start(): Promise<string> {
		this.#questions += 1;
		const question = this.#questions;
		const secret = await callSource(this.#fetch);
		// What comes late must not replace what a later question brought.
		if (question > (this.#known?.question ?? 0)) this.#known = { secret, question };
		if (question === this.#questions) this.#asking = undefined;
		return secret;
	}
}

async function callSource(fetch: () => string | Promise<string>): Promise<string> {
	let secret: string;
	try {
		secret = await fetch();
	} catch (error) {
		throw new ConfigurationError("the appSecret function failed", { cause: toSafeCause(error) });
	}
	assertSecret(secret);
	return secret;
}

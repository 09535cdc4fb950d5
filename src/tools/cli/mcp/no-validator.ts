import process from "node:process";

/*
 * Replaces the protocol library's own module, which loads a JSON Schema validator of 120 kB. The library validates with
 * it what a client returns for a server's questions (elicitation), and this server asks none.
 */

export { process };

/** Throws if it is ever used. */
export class DefaultJsonSchemaValidator {
	getValidator(): never {
		throw new TypeError("This server asks its client no questions, so there are no answers to validate.");
	}
}

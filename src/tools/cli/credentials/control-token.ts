import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { readEnvironment } from "../../../library/host.ts";
import { usageError } from "../failure.ts";
import { type KeptFile, keepValue, readKeptValue } from "./kept-file.ts";
import { stateFolder } from "./state-folder.ts";

/** The variable that sets the token of the console and of the control routes. */
export const CONTROL_TOKEN_VARIABLE = "MESSAGING_GATEWAY_CONTROL_TOKEN";

/** 128 bits, as many as an AES-128 key. */
const TOKEN_BYTES = 16;

/** Characters that stay as they are in a URL and in a header. */
const TOKEN = /^[\w.~-]{16,256}$/;

const FILE: KeptFile<string> = {
	what: "control token",
	variables: CONTROL_TOKEN_VARIABLE,
	create: () => randomBytes(TOKEN_BYTES).toString("hex"),
	parse: (content) => (typeof content === "string" && TOKEN.test(content) ? content : undefined),
};

/**
 * Chooses the control token of `dev`: the given one, that of the variable, or that of this machine, which the first
 * start creates.
 * @throws CommandFailure when it is not valid, or cannot be kept.
 */
export function chooseControlToken(given: string | undefined, path = controlTokenFile()): string {
	if (given !== undefined) return checked("--control-token", given);
	const set = readEnvironment(CONTROL_TOKEN_VARIABLE);
	return set === undefined ? keepValue(path, FILE) : checked(CONTROL_TOKEN_VARIABLE, set);
}

/**
 * Reads the control token for a verb: the given one, that of the variable, or that of this machine.
 * @throws CommandFailure when there is none.
 */
export function readControlToken(given: string | undefined, path = controlTokenFile()): string {
	const token = given ?? readEnvironment(CONTROL_TOKEN_VARIABLE) ?? readKeptValue(path, FILE);
	if (token !== undefined) return token;
	throw usageError(
		"this machine has no control token yet",
		`Start \`npx messaging-gateway dev\`, which creates it, or set the same ${CONTROL_TOKEN_VARIABLE} for that gateway and for this command.`,
	);
}

function controlTokenFile(): string {
	return join(stateFolder(), "control-token.json");
}

function checked(source: string, token: string): string {
	if (TOKEN.test(token)) return token;
	throw usageError(
		`${source} must be 16 to 256 letters, digits, or characters of - . _ ~`,
		"A good one: openssl rand -hex 16",
	);
}

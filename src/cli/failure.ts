import { isMessagingGatewayError } from "../errors.ts";

/** What the command ends with; the same for every verb. */
export const EXIT = { done: 0, failed: 1, misused: 2 } as const;

/** A mistake of the user's, or an outcome that is one: it is told in a line, without a stack trace. */
export class CommandFailure extends Error {
	override readonly name = "CommandFailure";
	readonly exitCode: number;
	/** What to do next. */
	readonly hint: string | undefined;

	constructor(message: string, { exitCode = EXIT.failed, hint }: { exitCode?: number; hint?: string } = {}) {
		super(message);
		this.exitCode = exitCode;
		this.hint = hint;
	}
}

/** An option or argument that cannot be used. */
export function misused(message: string, hint?: string): CommandFailure {
	return new CommandFailure(message, { exitCode: EXIT.misused, ...(hint === undefined ? {} : { hint }) });
}

/** An error as the command tells it: to people in lines, to machines as an object. */
export interface ToldError {
	readonly message: string;
	readonly hint?: string;
	readonly exitCode: number;
	/** The fields of an error of the SDK, such as `code` and `outcome`. */
	readonly details: Readonly<Record<string, unknown>>;
}

const DETAILS = [
	"code",
	"outcome",
	"status",
	"gatewayCode",
	"gatewayMessage",
	"requestId",
	"retryAfterMs",
	"issues",
	"fieldErrors",
] as const;

/** What to do next, by the code of an error of the SDK. */
const HINTS: Readonly<Record<string, string>> = {
	connection_failed: "`messaging-gateway dev` starts a local gateway; --base-url names another one.",
};

/** Puts any error into words. One that is neither the user's nor the gateway's is a defect of ours. */
export function tellError(error: unknown): ToldError {
	if (error instanceof CommandFailure) {
		const { message, hint, exitCode } = error;
		return { message, exitCode, details: {}, ...(hint === undefined ? {} : { hint }) };
	}
	if (isMessagingGatewayError(error)) {
		const fields = DETAILS.map((name) => [name, Reflect.get(error, name)] as const);
		const details = Object.fromEntries(fields.filter(([, value]) => isTelling(value)));
		const hint = HINTS[String(error.code)];
		const isMisuse = error.code === "configuration" || error.code === "invalid_input";
		return {
			message: error.message,
			exitCode: isMisuse ? EXIT.misused : EXIT.failed,
			details: { name: error.name, ...details },
			...(hint === undefined ? {} : { hint }),
		};
	}
	if (error instanceof Error && "code" in error && typeof error.code === "string") {
		return { message: error.message, exitCode: EXIT.failed, details: { code: error.code } };
	}
	const stack = error instanceof Error ? error.stack : String(error);
	return {
		message: `this is a defect of messaging-gateway, please report it: ${stack}`,
		exitCode: EXIT.failed,
		details: {},
	};
}

function isTelling(value: unknown): boolean {
	return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}

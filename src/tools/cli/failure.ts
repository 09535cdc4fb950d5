import { type FieldError, isMessagingGatewayError } from "../../library/errors.ts";
import { hideInWords } from "../hide-handles.ts";

/**
 * The exit codes of every verb. `untested`: nothing failed, but `doctor` tested no call with a body, or `adopt --check` did
 * not see every response.
 */
export const EXIT = { done: 0, failed: 1, usage: 2, untested: 3 } as const;

/** A usage error, or a result that counts as a failure. It is shown in one line, without a stack trace. */
export class CommandFailure extends Error {
	override readonly name = "CommandFailure";
	readonly exitCode: number;
	/** What to do next. */
	readonly hint: string | undefined;

	/** @param options.cause - the failure of a call, whose details are shown too. */
	constructor(message: string, hint?: string, exitCode: number = EXIT.failed, options?: ErrorOptions) {
		super(message, options);
		this.exitCode = exitCode;
		this.hint = hint;
	}
}

/** The server of MCP is a file of its own, with its own copy of the class. */
function isCommandFailure(error: unknown): error is CommandFailure {
	return error instanceof Error && error.name === "CommandFailure";
}

/** The end of the message of an error that the doctor can explain. */
export const DOCTOR_HINT = ". `npx messaging-gateway doctor` shows why";

/** Creates the error for an invalid option or argument. */
export function usageError(message: string, hint?: string): CommandFailure {
	return new CommandFailure(message, hint, EXIT.usage);
}

/** An error as the command reports it: lines for people, an object for machines. */
export interface ErrorReport {
	readonly message: string;
	readonly hint?: string | undefined;
	readonly exitCode: number;
	/** The fields of an error of the SDK, such as `code` and `outcome`. */
	readonly details: Readonly<Record<string, unknown>>;
}

const DETAILS = [
	"code",
	"reason",
	"outcome",
	"status",
	"gatewayCode",
	"gatewayMessage",
	"requestId",
	"retryAfterMs",
	"issues",
	"fieldErrors",
] as const;

/** The control's rejections of a value that a flag gave. */
const INVALID = ["invalid_action", "invalid_query"];

/** Creates the report for any error. An unknown error is reported as a bug in this package. */
export function createErrorReport(error: unknown): ErrorReport {
	if (isCommandFailure(error)) {
		const { message, hint, exitCode, cause } = error;
		const details = cause === undefined ? {} : createErrorReport(cause).details;
		return { message, exitCode, details, hint };
	}
	if (isMessagingGatewayError(error)) {
		const fields = DETAILS.map((name) => [name, toShown(name, Reflect.get(error, name))] as const);
		const details = Object.fromEntries(
			fields.filter(([, value]) => value != null && !(Array.isArray(value) && value.length === 0)),
		);
		const isUsageError =
			error.code === "configuration" ||
			error.code === "invalid_input" ||
			INVALID.includes(String(details["reason"]));
		return {
			message: error.message,
			exitCode: isUsageError ? EXIT.usage : EXIT.failed,
			details: { name: error.name, ...details },
		};
	}
	const code = systemCodeOf(error);
	if (code !== undefined) return { message: messageOf(error), exitCode: EXIT.failed, details: { code } };
	const stack = error instanceof Error ? error.stack : String(error);
	return {
		message: `this is a bug in messaging-gateway, please report it: ${stack}`,
		exitCode: EXIT.failed,
		details: {},
	};
}

function toShown(name: (typeof DETAILS)[number], value: unknown): unknown {
	if (name === "gatewayMessage" && typeof value === "string") return hideInWords(value);
	if (name !== "fieldErrors" || !Array.isArray(value)) return value;
	return value.map(({ field, issue, message }: FieldError) => ({
		field: hideInWords(field),
		issue: hideInWords(issue),
		message: hideInWords(message),
	}));
}

/** The code of the system's error, such as `EADDRINUSE`. */
export function systemCodeOf(error: unknown): string | undefined {
	return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** The message of a caught value. */
export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

import { BadRequestError } from "messaging-gateway";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createErrorReport, usageError } from "../../../../src/tools/cli/failure.ts";
import { Terminal } from "../../../../src/tools/cli/terminal.ts";

const HOSTILE = "no\u001b[2J\u009b2J\nsuch field";

/** The error of a gateway that says this of the request and of its text. */
const rejection = (message: string) =>
	new BadRequestError("POST /message/text failed with 400", {
		operationId: "messages.sendText",
		outcome: "rejected",
		attempts: 1,
		clockOffsetMs: undefined,
		status: 400,
		body: undefined,
		requestId: "r-1",
		gatewayCode: "BAD",
		gatewayMessage: message,
		details: [{ field: "text", issue: "bad", message }],
		retryAfterMs: undefined,
	});
const error = rejection(HOSTILE);

afterEach(() => vi.restoreAllMocks());

describe("an error with strings from the gateway", () => {
	test("reports the gateway's details, and only those that there are", () => {
		expect(Object.entries(createErrorReport(error).details)).toEqual([
			["name", "BadRequestError"],
			["code", "bad_request"],
			["outcome", "rejected"],
			["status", 400],
			["gatewayCode", "BAD"],
			["gatewayMessage", HOSTILE],
			["requestId", "r-1"],
			["fieldErrors", [expect.objectContaining({ message: HOSTILE })]],
		]);
	});

	test("masks what the gateway's words may repeat of a request", () => {
		const said = "+1 555-123-4567 has 16 chats: see https://a.example/b?c, key sk_live_4f5a9c0d1e2b3f4a5b6c";
		const shown = "<number> has 16 chats: see <URL> key <id>";
		expect(createErrorReport(rejection(said)).details).toMatchObject({
			gatewayMessage: shown,
			fieldErrors: [{ field: "text", message: shown }],
		});
	});

	test("writes no control characters to the terminal", () => {
		const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
		new Terminal({ isJson: false }).reportError(error);
		const lines = write.mock.calls.map(([line]) => String(line));
		expect(lines.join("")).toContain("such field");
		for (const line of lines.slice(1)) expect(line.replace(/\n$/, "")).not.toMatch(/\p{Cc}/u);
	});

	test("escapes control characters in a message of several lines", () => {
		const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
		new Terminal({ isJson: false }).reportError(usageError(HOSTILE));
		const written = write.mock.calls.map(([piece]) => String(piece)).join("");
		expect(written).toMatch(/no\\u001b\[2J\\u009b2J\nsuch field\n$/);
	});
});

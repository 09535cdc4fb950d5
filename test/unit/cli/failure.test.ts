import { BadRequestError } from "messaging-gateway";
import { afterEach, describe, expect, test, vi } from "vitest";
import { misused, tellError } from "../../../src/cli/failure.ts";
import { Terminal } from "../../../src/cli/terminal.ts";

const STEERING = "no\u001b[2J\u009b2J\nsuch field";

const error = new BadRequestError("POST /message/text was answered 400", {
	operationId: "messages.sendText",
	outcome: "rejected",
	attempts: 1,
	clockOffsetMs: undefined,
	status: 400,
	body: undefined,
	requestId: "r-1",
	gatewayCode: "BAD",
	gatewayMessage: STEERING,
	details: [{ field: "text", issue: "bad", message: STEERING }],
	retryAfterMs: undefined,
});

afterEach(() => vi.restoreAllMocks());

describe("what the gateway says", () => {
	test("is told to whoever runs the command", () => {
		expect(tellError(error).details).toMatchObject({
			gatewayCode: "BAD",
			gatewayMessage: STEERING,
			requestId: "r-1",
			fieldErrors: [{ message: STEERING }],
		});
	});

	test("does not steer the terminal", () => {
		const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
		new Terminal({ isJson: false }).complain(error);
		const lines = write.mock.calls.map(([line]) => String(line));
		expect(lines.join("")).toContain("such field");
		for (const line of lines.slice(1)) expect(line.replace(/\n$/, "")).not.toMatch(/\p{Cc}/u);
	});

	test("does not steer it from within a message of ours either, which may have several lines", () => {
		const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
		new Terminal({ isJson: false }).complain(misused(STEERING));
		const written = write.mock.calls.map(([piece]) => String(piece)).join("");
		expect(written).toMatch(/no\\u001b\[2J\\u009b2J\nsuch field\n$/);
	});
});

import { runInNewContext } from "node:vm";
import type { Attachment } from "messaging-gateway";
import { afterEach, describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { MESSAGE, ok, USER } from "../../../support/wire.ts";

/** What code of another realm makes, as test runners with a context of their own have one. */
const foreign = (code: string): never => runInNewContext(`(${code})`) as never;

const success = ok({ message: MESSAGE }, { status: 202 });

async function sentAs(attachment: Attachment): Promise<unknown> {
	const { gateway, clock, requests } = scriptGateway([success]);
	await settle(clock, gateway.messages.sendAttachments({ to: USER, attachments: [attachment] }));
	return (JSON.parse(requests[0]?.body ?? "") as { attachments: unknown[] }).attachments[0];
}

afterEach(() => {
	vi.unstubAllGlobals();
});

describe("an attachment of another realm", () => {
	const wire = { data: "AQI=", name: "a.png", mimeType: "image/png" };

	test.each<[title: string, data: () => never]>([
		["bytes", () => foreign("new Uint8Array([1, 2])")],
		["a part of larger bytes", () => foreign("new Uint8Array([0, 1, 2, 3]).subarray(1, 3)")],
		["a buffer", () => foreign("new Uint8Array([1, 2]).buffer")],
	])("as %s", async (_title, data) => {
		expect(await sentAs({ data: data(), name: "a.png" })).toEqual(wire);
	});

	test("as a stream of its bytes", async () => {
		const data = new ReadableStream<Uint8Array>({
			start(controller) {
				controller.enqueue(foreign("new Uint8Array([1])"));
				controller.enqueue(foreign("new Uint8Array([2])"));
				controller.close();
			},
		});
		expect(await sentAs({ data, name: "a.png" })).toEqual(wire);
	});

	describe.each([
		["of another class", class {}],
		["missing", undefined],
	])("where the globals are %s", (_globals, replacement) => {
		test.each<[title: string, create: () => Attachment]>([
			["a Blob", () => ({ data: new Blob([new Uint8Array([1, 2])], { type: "image/png" }), name: "a.png" })],
			["a File", () => new File([new Uint8Array([1, 2])], "a.png", { type: "image/png" })],
			["a stream", () => ({ data: new Blob([new Uint8Array([1, 2])]).stream(), name: "a.png" })],
		])("as %s", async (_title, create) => {
			const attachment = create();
			for (const name of ["Blob", "File", "ReadableStream"]) vi.stubGlobal(name, replacement);
			expect(await sentAs(attachment)).toEqual(wire);
		});
	});

	test("that is other numbers than bytes is still rejected", async () => {
		for (const data of ["new Uint16Array([1, 2])", "new DataView(new ArrayBuffer(2))", "[1, 2]"]) {
			const error = await catchRejection(sentAs({ data: foreign(data), name: "a.png" }));
			expect(error).toMatchObject({ code: "invalid_input" });
		}
	});
});

test.each([
	["is not sent where its code says so", "ECONNREFUSED", "not_sent"],
	["is unknown where it does not", "ECONNRESET", "unknown"],
])("a connection that fails with an error of another realm %s", async (_title, code, outcome) => {
	const cause = `Object.assign(new Error("it failed"), { code: "${code}" })`;
	const error = foreign(`new TypeError("fetch failed", { cause: ${cause} })`) as Error;
	expect(error).not.toBeInstanceOf(Error);
	const { gateway } = scriptGateway([() => Promise.reject(error)], { maxRetries: 0 });
	expect(await catchRejection(gateway.mappings.get(USER))).toMatchObject({
		code: "connection_failed",
		outcome,
		cause: { name: "Error", code },
	});
});

test("what is changed in an input of another realm right after a call is not what is sent", async () => {
	const { gateway, clock, requests } = scriptGateway([success]);
	const data = new Blob([new Uint8Array([1, 2])]).stream();
	const input = foreign('{ participants: ["+15551110001", "+15551110002"], attachments: [] }') as {
		participants: string[];
		attachments: Attachment[];
	};
	input.attachments.push({ data, name: "a.png" });
	const call = gateway.messages.sendAttachments(input);
	input.participants.push("+15559999999");
	await settle(clock, call);
	expect(JSON.parse(requests[0]?.body ?? "")).toMatchObject({
		participants: ["+15551110001", "+15551110002"],
	});
});

import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { StreamReader } from "../../../../src/library/node/stream-reader.ts";
import { catchRejection } from "../../../support/catch-error.ts";

function open() {
	const stream = new PassThrough();
	return { stream, reader: new StreamReader(stream) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const bytes = (text: string) => ({ done: false, value: Buffer.from(text) });

test("each chunk is read once, whether it comes before or after it is asked for, and then the end", async () => {
	const { stream, reader } = open();
	const first = reader.read();
	await turn();
	stream.write("a");
	expect(await first).toEqual(bytes("a"));
	stream.write("b");
	await turn();
	expect(await reader.read()).toEqual(bytes("b"));
	const last = reader.read();
	await turn();
	stream.end("c");
	expect(await last).toEqual(bytes("c"));
	for (let time = 0; time < 2; time++) expect(await reader.read()).toEqual({ done: true, value: undefined });
});

test.each([
	["with an error", new Error("it broke"), "it broke"],
	["without one", undefined, "the response broke off"],
])(
	"a stream that breaks %s rejects a read that waits, and each further one",
	async (_title, reason, message) => {
		const { stream, reader } = open();
		const waiting = catchRejection(reader.read());
		await turn();
		stream.destroy(reason);
		expect(await waiting).toMatchObject({ message });
		expect(await catchRejection(reader.read())).toMatchObject({ message });
	},
);

test("what had arrived of a stream that broke is not read", async () => {
	const { stream, reader } = open();
	stream.write("a");
	await turn();
	stream.destroy(new Error("it broke"));
	expect(await catchRejection(reader.read())).toMatchObject({ message: "it broke" });
});

test("cancel ends the stream", async () => {
	const { stream, reader } = open();
	await reader.cancel();
	expect(stream.destroyed).toBe(true);
});

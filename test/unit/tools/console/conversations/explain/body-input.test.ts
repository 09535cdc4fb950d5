import { expect, test } from "vitest";
import {
	type BodyInput,
	NO_BODY,
	readBodyInput,
} from "../../../../../../src/tools/console/conversations/drawer/explain/body-input.ts";

const BYTES = Uint8Array.of(97, 13, 10, 255);

test.each<[what: string, input: Partial<BodyInput>, bytes: Uint8Array | undefined]>([
	["text", { text: "é\n" }, Uint8Array.of(0xc3, 0xa9, 10)],
	["text of whitespace", { text: " " }, Uint8Array.of(32)],
	["no text", { text: "" }, undefined],
	["base64", { form: "base64", text: btoa("a\r\n\xff") }, BYTES],
	["base64 in lines", { form: "base64", text: " YQ\n0K/w== " }, BYTES],
	["no base64", { form: "base64", text: " \n" }, undefined],
	["a file", { form: "file", text: "of another form", file: BYTES }, BYTES],
	["an empty file", { form: "file", file: new Uint8Array() }, new Uint8Array()],
	["no file", { form: "file", text: "of another form" }, undefined],
])("%s is read byte for byte", (_, input, bytes) => {
	expect(readBodyInput({ ...NO_BODY, ...input })).toEqual({ bytes });
});

test("what is not base64 is a problem, in a sentence", () => {
	expect(readBodyInput({ ...NO_BODY, form: "base64", text: '{"a": 1}' })).toEqual({
		problem: "This isn't base64. Encode the body again, or choose a file.",
	});
});

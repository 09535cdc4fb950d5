import { beforeEach, expect, test, vi } from "vitest";
import type { HashInput, HmacKey } from "../../../../src/library/signing/hashing.ts";
import { deliver } from "../../../support/webhook-delivery.ts";
import { explain, payload } from "./webhook-explanation.ts";

/** What would have been hashed with a secret since the test began. */
const counter = vi.hoisted(() => ({ hmacs: 0, bytes: 0 }));

// Nothing is really hashed: the tests count the calls, and no signature is ever right.
vi.mock(import("../../../../src/library/signing/hash.ts"), async (importOriginal) => {
	const count = (parts: readonly HashInput[]): void => {
		counter.hmacs++;
		counter.bytes += parts.reduce((sum, { length }) => sum + length, 0);
	};
	const createKey = (): HmacKey => ({
		signHex(...parts) {
			count(parts);
			return "ff".repeat(32);
		},
		sign(...parts) {
			count(parts);
			return new Uint8Array(32).fill(0xff);
		},
	});
	return { ...(await importOriginal()), createHmacKey: createKey, hmacKeyOf: createKey };
});

beforeEach(() => {
	counter.hmacs = 0;
	counter.bytes = 0;
});

const MIB = 1024 * 1024;

test("a failure without a cause costs a few hundred HMACs, and reports where it stopped", () => {
	const names = Array.from({ length: 500 }, (_, at) => `tenant-${at}`);
	const otherSecrets = Object.fromEntries(names.map((name, at) => [name, `secret-${at}`]));
	const { checked } = explain(deliver(JSON.stringify(payload)), { otherSecrets });
	expect(checked.hmacs).toBe(400);
	// One more for the verification itself.
	expect(counter.hmacs).toBe(401);
	expect(checked.skipped).toEqual(["After 400 HMACs, further pairs of mistakes weren't tried."]);
});

test.each([
	["no signature", deliver("{}", { "x-svc-signature": undefined })],
	["no body", { ...deliver("{}"), body: undefined }],
])("nothing is hashed for %s", (_title, delivery) => {
	explain(delivery);
	expect(counter.hmacs).toBe(0);
});

test("changes to a body over 1 MiB are not tried, and are reported as skipped", () => {
	const body = JSON.stringify(payload) + " ".repeat(MIB);
	const { checked } = explain(deliver(body));
	expect(checked.skipped).toEqual([expect.stringContaining("over 1 MiB, so no changes")]);
	expect(checked.hmacs).toBeGreaterThan(20);
	expect(counter.bytes).toBeLessThanOrEqual(130 * MIB);
});

test("a parsed body over 1 MiB is not written again", () => {
	const { checked, findings } = explain({ ...deliver("{}"), body: { text: "x".repeat(MIB) } });
	expect(findings.map(({ cause }) => cause)).toEqual(["body_parsed"]);
	expect(checked).toMatchObject({ hmacs: 0, skipped: [expect.stringContaining("over 1 MiB")] });
});

test("a huge body is hashed once only", () => {
	const { checked } = explain(deliver(new Uint8Array(65 * MIB)));
	expect(checked.hmacs).toBe(1);
	expect(checked.skipped).toHaveLength(2);
});

test("every form of a body of 1 MiB is hashed within the same bound", () => {
	const item = JSON.stringify({ ...payload, more: "</b>" });
	const body = `[${Array(Math.floor(MIB / (Buffer.byteLength(item) + 1)) - 1).fill(item)}]`;
	expect(explain(deliver(body)).checked.skipped).toHaveLength(1);
	expect(counter.bytes).toBeLessThanOrEqual(130 * MIB);
});

test.each<[title: string, text: string]>([
	["a long run of spaces", `${" ".repeat(500_000)}!`],
	["a long run of line ends", `${"\r\n".repeat(200_000)}!`],
	["deep JSON", "[".repeat(100_000) + "]".repeat(100_000)],
])("%s in the body takes no time to rule out", (_title, body) => {
	expect(explain(deliver(body)).isValid).toBe(false);
});

test("long runs in headers and secrets take no time to rule out", () => {
	const spaces = " ".repeat(100_000);
	explain(deliver("{}", { "x-svc-signature": `v1${spaces}x`, "x-svc-timestamp": `1${spaces}1` }));
	explain(deliver("{}", { "x-svc-event-id": `e${spaces}1` }), { secret: `a${spaces}b`, appSecret: spaces });
});

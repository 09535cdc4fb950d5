import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { deliver, receiver, webhookSignature } from "../../../support/webhook-delivery.ts";

const SHA256_OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/** Whether the module with the hashes in JavaScript was loaded. */
let areLoaded: boolean;

beforeEach(() => {
	vi.resetModules();
	areLoaded = false;
	vi.doMock(import("../../../../src/library/signing/hash-noble.ts"), async (importOriginal) => {
		areLoaded = true;
		return await importOriginal();
	});
});

afterEach(() => {
	vi.unstubAllGlobals();
	vi.doUnmock("../../../../src/library/signing/hash.ts");
});

/** A runtime with no `node:crypto`, or with a part of it. */
function runWith(crypto: object | undefined): void {
	const { getBuiltinModule } = process;
	vi.stubGlobal("process", {
		...process,
		getBuiltinModule: (id: string) => (id === "node:crypto" ? crypto : getBuiltinModule(id)),
	});
}

const load = () => import("../../../../src/library/signing/hash.ts");

test("a runtime with its own hashing waits for nothing, and loads no other", async () => {
	const { loadHashing, sha256Hex } = await load();
	expect(loadHashing()).toBeUndefined();
	expect(sha256Hex("abc")).toBe(SHA256_OF_ABC);
	expect(areLoaded).toBe(false);
});

test.each<[title: string, crypto: object | undefined]>([
	["no crypto of its own", undefined],
	["half of it", { createHash: throwing }],
	["one that throws", { hash: throwing, createHash: throwing }],
])("a runtime with %s loads the hashes once", async (_title, crypto) => {
	runWith(crypto);
	const { loadHashing, sha256Hex } = await load();
	expect(areLoaded).toBe(false);
	await Promise.all([loadHashing(), loadHashing()]);
	expect(loadHashing()).toBeUndefined();
	expect(sha256Hex("abc")).toBe(SHA256_OF_ABC);
});

test("a runtime with no crypto of its own explains a delivery at once", async () => {
	runWith(undefined);
	const { explainWebhookFailure } = await import(
		"../../../../src/tools/doctor/webhooks/explain-webhook-failure.ts"
	);
	const { body, headers } = deliver("{}");
	expect(explainWebhookFailure({ body, headers }, receiver())).toMatchObject({ isValid: true, findings: [] });
});

describe("hashes that cannot be loaded", () => {
	test("are one clear error, and are tried again", async () => {
		runWith(undefined);
		vi.doMock("../../../../src/library/signing/hash-noble.ts", () => {
			throw new TypeError("Failed to fetch dynamically imported module");
		});
		const { loadHashing, sha256Hex } = await load();
		await expect(loadHashing()).rejects.toMatchObject({
			name: "ConfigurationError",
			message: expect.stringContaining("check that all files of the bundle are served"),
		});
		vi.doUnmock("../../../../src/library/signing/hash-noble.ts");
		await loadHashing();
		expect(sha256Hex("abc")).toBe(SHA256_OF_ABC);
	});

	test("leave a delivery unacknowledged", async () => {
		const { ConfigurationError } = await import("../../../../src/library/errors.ts");
		const problem = new ConfigurationError("the code for SHA-256 could not be loaded");
		vi.doMock(import("../../../../src/library/signing/hash.ts"), async (importOriginal) => ({
			...(await importOriginal()),
			loadHashing: () => Promise.reject(problem),
		}));
		const { createWebhookHandler } = await import(
			"../../../../src/library/webhooks/create-webhook-handler.ts"
		);
		const { memoryStore } = await import("../../../../src/library/stores/memory.ts");
		const onError = vi.fn();
		const webhooks = createWebhookHandler({
			secret: "s",
			store: memoryStore(),
			onError,
			on: { unknown() {} },
		});
		const { status } = await webhooks.handle({
			headers: {
				"X-SVC-Event-Id": "evt_1",
				"X-SVC-Timestamp": "1767225600",
				"X-SVC-Signature": `v1=${webhookSignature("{}")}`,
			},
			body: "{}",
		});
		expect(status).toBe(500);
		expect(onError.mock.calls[0]?.[0].message).toBe(problem.message);
	});
});

function throwing(): never {
	throw new Error("not implemented");
}

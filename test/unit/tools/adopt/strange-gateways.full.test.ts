import { describe, expect, test } from "vitest";
import { GATEWAYS } from "./strange-gateways/index.ts";
import { expectHarmless, figuresOf, measure } from "./strange-gateways/measure.ts";
import { startStrangeGateway } from "./strange-gateways/strange-gateway.ts";

/** How many of its operations work: without a line, with the answers that the output asks for, and after consent. */
test.concurrent.each<[name: string, alone: string, hints: string, consent: string]>([
	["sendblue", "7 of 14, 3 certain", "11 of 14, 3 certain", "11 of 14, 4 certain"],
	["twilio", "2 of 6, 2 certain", "5 of 6, 2 certain", "6 of 7, 4 certain"],
	["linq", "6 of 9, 2 certain", "6 of 9, 2 certain", "7 of 10, 3 certain"],
	["whatsapp", "2 of 6, 2 certain", "4 of 6, 2 certain", "5 of 7, 3 certain"],
	["telegram", "2 of 6, 2 certain", "5 of 6, 2 certain", "6 of 7, 3 certain"],
	["vonage", "4 of 8, 2 certain", "7 of 8, 2 certain", "7 of 9, 3 certain"],
	["messagebird", "3 of 6, 2 certain", "5 of 6, 2 certain", "6 of 7, 4 certain"],
	["spring", "10 of 13, 3 certain", "10 of 13, 3 certain", "11 of 14, 5 certain"],
	["fastapi", "6 of 10, 3 certain", "6 of 10, 3 certain", "10 of 11, 5 certain"],
	["jsonapi", "7 of 7, 4 certain", "7 of 7, 4 certain", "7 of 7, 5 certain"],
	["outbox", "2 of 7, 2 certain", "5 of 8, 3 certain", "6 of 8, 4 certain"],
	["portuguese", "2 of 5, 2 certain", "3 of 5, 2 certain", "5 of 6, 4 certain"],
	["rpc", "2 of 3, 2 certain", "3 of 3, 2 certain", "4 of 4, 3 certain"],
	["undocumented", "6 of 7, 4 certain", "6 of 7, 4 certain", "7 of 7, 5 certain"],
	["login", "2 of 4, 2 certain", "3 of 4, 2 certain", "4 of 5, 3 certain"],
	["huge", "2 of 4, 2 certain", "3 of 4, 2 certain", "4 of 5, 3 certain"],
	["loop", "4 of 4, 2 certain", "4 of 4, 2 certain", "5 of 5, 4 certain"],
	["aliases", "2 of 4, 2 certain", "3 of 4, 2 certain", "4 of 5, 3 certain"],
	["petstore", "2 of 4, 2 certain", "3 of 4, 2 certain", "4 of 5, 3 certain"],
	["eager", "4 of 4, 2 certain", "4 of 4, 2 certain", "5 of 5, 4 certain"],
	["limited", "4 of 4, 2 certain", "4 of 4, 2 certain", "5 of 5, 4 certain"],
	["repeating", "5 of 7, 3 certain", "5 of 7, 3 certain", "5 of 7, 4 certain"],
	["ambiguous", "3 of 4, 2 certain", "4 of 4, 2 certain", "5 of 5, 4 certain"],
	["swapped", "2 of 5, 2 certain", "2 of 5, 2 certain", "3 of 6, 3 certain"],
	["careless", "4 of 4, 3 certain", "4 of 4, 3 certain", "5 of 5, 4 certain"],
])("%s: %s work; %s with answers; %s after consent", async (name, ...figures) => {
	const shape = GATEWAYS[name];
	if (shape === undefined) throw new RangeError(`there is no gateway ${name}`);
	const found = [];
	for (const mode of ["alone", "hints", "consent"] as const) {
		const measured = await measure(shape, mode);
		expectHarmless(measured, { misleads: name === "careless" });
		found.push(figuresOf(measured));
	}
	expect(found).toEqual(figures);
});

describe("with a wrong secret", () => {
	test.each(Object.keys(GATEWAYS))(
		"%s: nothing is proven that needs one, and nothing is sent",
		async (name) => {
			const shape = GATEWAYS[name];
			if (shape === undefined) throw new RangeError(`there is no gateway ${name}`);
			const measured = await measure(shape, "alone", "5ec2e7a1".repeat(7));
			expectHarmless(measured);
			const { adoption, text } = measured;
			expect(adoption.signing).toBe("open");
			expect(adoption.operations.filter(({ proof }) => proof !== undefined).map(({ id }) => id)).toEqual([]);
			expect(adoption.sends).toEqual([]);
			const lines = text.split("\n");
			expect(lines.at(-1)).toMatch(/^Wrote nothing, and nothing was sent or changed\. \d+ requests\.$/);
			expect(lines.length).toBeLessThan(7);
		},
	);
});

test("without a network nothing is proven", async () => {
	const gateway = await startStrangeGateway(GATEWAYS["spring"] ?? { routes: [], truth: {} });
	await gateway[Symbol.asyncDispose]();
	const { adoption } = await measure({ routes: [], truth: {} }, "alone", undefined, gateway.baseUrl);
	expect(adoption.diagnosis.findings.map(({ cause }) => cause)).toContain("connection_refused");
	expect([adoption.signing, adoption.sends]).toEqual(["open", []]);
});

import { describe, expect, test } from "vitest";
import { didYouMean, nearestName } from "../../../src/library/nearest-name.ts";

const OPTIONS = [
	"baseUrl",
	"appId",
	"appSecret",
	"timeoutMs",
	"maxRetries",
	"signer",
	"hooks",
	"deliverSeconds",
] as const;
const FIELDS = ["to", "groupId", "text", "statusCallback"] as const;

describe("the nearest name", () => {
	test.each([
		["another case", "baseURL", "baseUrl"],
		["snake case", "app_secret", "appSecret"],
		["kebab case in capitals", "APP-ID", "appId"],
		["a letter too few", "hoks", "hooks"],
		["a letter too many", "signner", "signer"],
		["another letter", "baseUri", "baseUrl"],
		["two swapped letters", "tiemoutMs", "timeoutMs"],
		["a part of the name", "timeout", "timeoutMs"],
		["the first word", "deliver", "deliverSeconds"],
		["the last word", "secret", "appSecret"],
		["the last word in another form", "retries", "maxRetries"],
		["an alias", "endpoint", "baseUrl"],
	] as const)("is found for %s", (_, misspelt, nearest) => {
		expect(nearestName(misspelt, OPTIONS)).toBe(nearest);
	});

	test.each([
		["txet", "text"],
		["body", "text"],
		["phone_number", "to"],
		["too", "to"],
	] as const)("of short names is found for %s", (misspelt, nearest) => {
		expect(nearestName(misspelt, FIELDS)).toBe(nearest);
	});

	test.each([
		"",
		"?",
		"id",
		"cc",
		"colour",
		"constructor",
		"__proto__",
		"toString",
		"+15551234567",
		"9".repeat(1_000),
	])("does not exist for %j", (misspelt) => {
		expect(nearestName(misspelt, FIELDS)).toBeUndefined();
		expect(didYouMean(misspelt, FIELDS)).toBe("");
	});

	test("is the one with the fewest differences, whatever the order", () => {
		expect(nearestName("tex", ["next", "text"])).toBe("text");
		expect(nearestName("tex", ["text", "next"])).toBe("text");
	});

	test("is suggested in a question", () => {
		expect(didYouMean("baseURL", OPTIONS)).toBe(' Did you mean "baseUrl"?');
	});
});

import type { FailureCause } from "messaging-gateway/doctor";
import { afterEach, describe, expect, test, vi } from "vitest";
import { hmacSha256 } from "../../../support/node-crypto.ts";
import { deliver, signedAt, webhookSignature } from "../../../support/webhook-delivery.ts";
import { causes, describeCause, explain, payload } from "./webhook-explanation.ts";

const body = JSON.stringify(payload);
const right = "s3cr3t-of-the-dashboard";
const bytes = Buffer.from("00112233445566778899aabbccddeeff", "hex");

/** A delivery that was signed with another key than the receiver's. */
function signedWith(key: string | Uint8Array) {
	return deliver(body, { "x-svc-signature": `v1=${hmacSha256(key, `${signedAt}.`, body)}` });
}

afterEach(() => {
	vi.unstubAllEnvs();
});

describe("characters around the secret", () => {
	test.each([
		["a newline after", `${right}\n`, /has a line break in it\./],
		["a zero-width space after", `${right}\u200b`, /has whitespace or an invisible character around it\./],
		["a word joiner before", `\u2060${right}`, /has whitespace or an invisible character around it\./],
		["single quotes", `'${right}'`, /has quotes around it\./],
		["quotes and a newline", `"${right}"\n`, /has a line break in it\./],
		["an escape instead of a newline", `${right}\\n`, /has other characters around it\./],
		["a comment", `${right} # staging`, /ends with a comment\./],
		["the variable's name", `WEBHOOK_SECRET=${right}`, /starts with a variable's name and =\./],
	])("%s", (_title, secret, problem) => {
		const explanation = explain(signedWith(right), { secret });
		expect(causes(explanation)).toEqual(["secret_padded"]);
		expect(describeCause(explanation, "secret_padded")).toMatch(problem);
		expect(describeCause(explanation, "secret_padded")).toContain("Correct the secret where it is kept");
	});

	test("are certain if the verification rejects the secret for them, whoever signed", () => {
		const wrong = signedWith("another");
		for (const secret of [`${right} `, `"${right}"`, `${right};`])
			expect(causes(explain(wrong, { secret }))).toEqual(["secret_padded"]);
	});
});

describe("another secret", () => {
	const otherSecrets = { staging: "the-staging-secret", production: "the-production-secret", unset: "" };

	test("is named by its name", () => {
		const explanation = explain(signedWith("the-production-secret"), { otherSecrets });
		expect(causes(explanation)).toEqual(["other_secret"]);
		expect(describeCause(explanation, "other_secret")).toContain('"production"');
		expect(describeCause(explanation, "other_secret")).not.toContain("staging");
	});

	test("is found although the right one is missing", () => {
		const explanation = explain(signedWith("the-staging-secret"), { otherSecrets, secret: "" });
		expect(causes(explanation)).toEqual(["other_secret", "secret_missing"]);
	});

	test("the App Secret signed", () => {
		const explanation = explain(signedWith("the-app-secret"), { otherSecrets, appSecret: "the-app-secret" });
		expect(causes(explanation)).toEqual(["request_signing_secret"]);
		expect(describeCause(explanation, "request_signing_secret")).toContain("was signed with the App Secret");
	});

	test("the App Secret was given as the webhook secret", () => {
		const explanation = explain(signedWith(right), { secret: "the-app-secret", appSecret: "the-app-secret" });
		expect(causes(explanation, "likely")).toEqual(["request_signing_secret", "unexplained"]);
		expect(describeCause(explanation, "request_signing_secret")).toContain("same string as the App Secret");
	});

	test("any of several secrets may have the mistake", () => {
		const explanation = explain(signedWith(right), { secret: ["first-secret", `'${right}'`] });
		expect(causes(explanation)).toEqual(["secret_padded"]);
	});
});

describe("a secret in another encoding", () => {
	test.each<[FailureCause, string, key: string | Uint8Array, secret: string]>([
		["secret_encoded", "hex", bytes, bytes.toString("hex")],
		["secret_encoded", "base64", bytes, bytes.toString("base64")],
		["secret_encoded", "base64 after a prefix", bytes, `whsec_${bytes.toString("base64")}`],
		["secret_decoded", "hex", Buffer.from(right).toString("hex"), right],
		["secret_decoded", "upper-case hex", Buffer.from(right).toString("hex").toUpperCase(), right],
		["secret_decoded", "base64", Buffer.from(right).toString("base64"), right],
		["secret_decoded", "base64 without padding", btoa(`${right}1`).replace(/=+$/, ""), `${right}1`],
		["secret_decoded", "base64 of a binary string", bytes.toString("base64"), bytes.toString("latin1")],
		["secret_decoded", "base64url", Buffer.from("~~~???1").toString("base64url"), "~~~???1"],
	])("%s: %s", (cause, form, key, secret) => {
		const explanation = explain(signedWith(key), { secret });
		expect(causes(explanation)).toEqual([cause]);
		expect(describeCause(explanation, cause)).toContain(form.includes("hex") ? "hex" : "base64");
		expect(describeCause(explanation, cause)).toMatch(
			cause === "secret_decoded"
				? /exactly as the account dashboard shows it/
				: /Set profile.events.secret to "(hex|base64|prefixed_base64)", or pass the decoded secret as bytes/,
		);
	});
});

describe("the remedy for an encoded secret", () => {
	test.each<[secret: string, fix: object]>([
		[bytes.toString("hex"), { profile: { events: { secret: "hex" } } }],
		[bytes.toString("base64"), { profile: { events: { secret: "base64" } } }],
		[`whsec_${bytes.toString("base64")}`, { profile: { events: { secret: "prefixed_base64" } } }],
		[bytes.toString("hex"), { secret: bytes }],
	])("makes the delivery valid: %j", (secret, fix) => {
		const delivery = signedWith(bytes);
		expect(causes(explain(delivery, { secret }))).toEqual(["secret_encoded"]);
		expect(explain(delivery, { secret, ...fix }).isValid).toBe(true);
	});

	test("is to leave the profile's choice out, if the text itself is the key", () => {
		const profile = { events: { secret: "hex" } };
		const secret = bytes.toString("hex");
		const explanation = explain(signedWith(secret), { secret, profile });
		expect(causes(explanation)).toEqual(["secret_encoded"]);
		expect(describeCause(explanation, "secret_encoded")).toContain('Set profile.events.secret to "text"');
	});

	test("is to pass the string, if the bytes of its text were given, or what it encodes", () => {
		const text = bytes.toString("hex");
		const ofText = explain(signedWith(bytes), { secret: Buffer.from(text) });
		expect(describeCause(ofText, "secret_encoded")).toMatch(/as a string, with profile.events.secret "hex"/);
		const decoded = explain(signedWith(text), { secret: bytes });
		expect(describeCause(decoded, "secret_decoded")).toMatch(/exactly as the account dashboard shows it/);
	});

	test("of other secrets and the App Secret is their own encoding", () => {
		const profile = { signing: { secret: "base64" }, events: { secret: "hex" } };
		const given = { secret: "aa", profile };
		const appSecret = bytes.toString("base64");
		expect(causes(explain(signedWith(bytes), { ...given, appSecret }))).toEqual(["request_signing_secret"]);
		for (const other of [bytes, bytes.toString("hex")]) {
			expect(causes(explain(signedWith(bytes), { ...given, otherSecrets: { other } }))).toEqual([
				"other_secret",
			]);
		}
		expect(causes(explain(signedWith("x"), { profile, secret: bytes, appSecret: bytes }), "likely")).toEqual([
			"request_signing_secret",
			"unexplained",
		]);
	});

	test("for a text that doesn't decode names the profile's choice", () => {
		const explanation = explain(signedWith(bytes), {
			secret: "no-hex",
			profile: { events: { secret: "hex" } },
		});
		expect(explanation.code).toBe("configuration");
		expect(describeCause(explanation, "secret_unusable")).toMatch(
			/isn't hex.*no hex digit.*correct profile.events.secret, which is "hex"/,
		);
	});
});

describe("a secret that isn't set", () => {
	test.each([
		["null", null],
		["empty", ""],
		["whitespace", " "],
		["the string undefined", "undefined"],
		["the string null", "null"],
		["an empty list", []],
		["a list with nothing in it", [undefined]],
	])("%s", (_title, secret) => {
		const explanation = explain(signedWith(right), { secret });
		expect(explanation).toMatchObject({ isValid: false, code: "configuration" });
		expect(causes(explanation)).toEqual(["secret_missing"]);
		expect(describeCause(explanation, "secret_missing")).toContain("MESSAGING_GATEWAY_WEBHOOK_SECRET");
	});

	test.each([
		["a number", 5],
		["a function", () => right],
		["half a surrogate pair", "secret\ud83d"],
	])("%s is unusable", (_title, secret) => {
		expect(causes(explain(signedWith(right), { secret }))).toEqual(["secret_unusable"]);
	});

	test("one that is missing beside one that is right is reported", () => {
		expect(causes(explain(signedWith(right), { secret: [right, ""] }))).toEqual(["secret_missing"]);
	});

	test("the environment's secret is used where none is given", () => {
		vi.stubEnv("MESSAGING_GATEWAY_WEBHOOK_SECRET", right);
		expect(explain(signedWith(right), { secret: undefined }).isValid).toBe(true);
		vi.stubEnv("MESSAGING_GATEWAY_WEBHOOK_SECRET", `${right}\n`);
		expect(causes(explain(signedWith(right), { secret: undefined }))).toEqual(["secret_padded"]);
	});
});

describe("the tolerance", () => {
	test.each([-1, "300"])("%s is unusable", (toleranceSeconds) => {
		const explanation = explain(deliver(body), { toleranceSeconds });
		expect(causes(explanation)).toEqual(["tolerance_unusable"]);
		expect(describeCause(explanation, "tolerance_unusable")).toContain("Number()");
	});
});

test("nothing is certain about a wrong secret, and the remaining causes are named", () => {
	const explanation = explain(deliver(body, { "x-svc-signature": `v1=${webhookSignature(body, "x")}` }));
	expect(causes(explanation)).toEqual([]);
	expect(causes(explanation, "likely")).toEqual(["unexplained"]);
	expect(describeCause(explanation, "unexplained")).toMatch(
		/the secret wasn't given here, or the body's content.*dashboard again/,
	);
});

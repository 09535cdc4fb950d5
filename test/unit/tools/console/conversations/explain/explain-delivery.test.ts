import { describe, expect, test } from "vitest";
import { utf8 } from "../../../../../../src/library/signing/bytes.ts";
import { signWebhook } from "../../../../../../src/library/webhooks/sign-webhook.ts";
import {
	explainDelivery,
	findSentAttempt,
	type Received,
} from "../../../../../../src/tools/console/conversations/drawer/explain/explain-delivery.ts";
import { writeReport } from "../../../../../../src/tools/console/conversations/drawer/explain/explanation-view.tsx";
import { attemptView, deliveryView } from "../../../../../support/console-views.ts";

const SECRET = "the-webhook-secret-of-this-gateway";
const APP_SECRET = "the-app-secret-of-this-gateway";
const BODY = '{"text": "Crème brûlée"}';
const TIMESTAMP = 7_000_000_000;

const headers = signWebhook({ body: BODY, secret: SECRET, timestamp: TIMESTAMP });
const [id, timestamp, signature] = Object.entries(headers);

function explain(received: Received, sentHeaders: Readonly<Record<string, string>> = headers) {
	return explainDelivery({ headers: sentHeaders, timestamp: TIMESTAMP, body: BODY }, received, {
		appSecret: APP_SECRET,
		webhookSecret: SECRET,
	});
}

function withHeaders(...fields: (readonly [string, string] | undefined)[]): Received {
	return { headers: Object.fromEntries(fields.filter((field) => field !== undefined)) };
}

const MISTAKES: [mistake: string, received: Received, cause: string][] = [
	["another secret", { secret: "another-secret-of-the-receiver" }, "other_secret"],
	["a secret with whitespace", { secret: ` ${SECRET}` }, "secret_padded"],
	[
		"a body that was parsed and stringified",
		{ body: utf8(JSON.stringify(JSON.parse(BODY))) },
		"body_reserialized",
	],
	["a body with a line end added", { body: utf8(`${BODY}\r\n`) }, "whitespace_changed"],
	["a body that is not UTF-8", { body: latin1(BODY) }, "charset_changed"],
	["an empty body", { body: new Uint8Array() }, "body_empty"],
	["headers without the signature", withHeaders(id, timestamp), "header_missing"],
	["headers of another vendor's prefix", withHeaders(...renamed("Acme")), "other_vendor_prefix"],
];

function renamed(prefix: string): [string, string][] {
	return Object.entries(headers).map(([name, value]) => [name.replace("SVC", prefix), value]);
}

function latin1(text: string): Uint8Array {
	return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

describe("a receiver", () => {
	test("with what was sent accepts it, whenever that was", () => {
		expect(explain({})).toMatchObject({ isValid: true, findings: [] });
		expect(explain({ body: utf8(BODY), headers, secret: SECRET }).isValid).toBe(true);
	});

	test.each(MISTAKES)("with %s rejects it, for certain", (_, received, cause) => {
		const { isValid, findings } = explain(received);
		expect({ isValid, certain: findings.filter(({ certainty }) => certainty === "certain") }).toMatchObject({
			isValid: false,
			certain: [{ cause }],
		});
	});

	test("gets the vendor's prefix of the headers that were sent", () => {
		expect(explain({}, Object.fromEntries(renamed("Acme"))).isValid).toBe(true);
	});
});

describe("the attempt that a receiver got", () => {
	const attempts = [
		attemptView({ timestamp: 1 }),
		attemptView({ timestamp: 2, sentBody: "edited" }),
		attemptView({ timestamp: 3 }),
	];
	const delivery = deliveryView({ body: "as created", attempts });

	test.each([
		["without headers", {}, { timestamp: 3, body: "as created" }],
		["with its timestamp", { "x-svc-timestamp": "2" }, { timestamp: 2, body: "edited" }],
		["with its timestamp several times", { "X-SVC-Timestamp": ["1", "1"] }, { timestamp: 1 }],
		["with another timestamp", { "X-SVC-Timestamp": "4" }, { timestamp: 3 }],
	])("is found %s", (_, received, expected) => {
		expect(findSentAttempt(delivery, received)).toMatchObject(expected);
	});

	test("is missing before the first", () => {
		expect(findSentAttempt(deliveryView(), {})).toBeUndefined();
	});
});

describe("the report", () => {
	test.each([["nothing wrong", {}, ""] as const, ...MISTAKES])(
		"of %s has the findings, and nothing of the delivery",
		(_, received, cause) => {
			const report = writeReport(explain(received));
			expect(report).toMatch(/^The delivery is (accepted|rejected with [a-z_]+)\.\n/);
			expect(report).toContain(cause);
			expect(report).toContain("Checked: ");
			const secrets = [SECRET, APP_SECRET, received.secret, signature?.[1], "Crème"];
			for (const secret of secrets) if (secret !== undefined) expect(report).not.toContain(secret);
		},
	);

	test("names causes, fixes and numbers", () => {
		const report = writeReport({
			isValid: false,
			code: undefined,
			findings: [{ cause: "unexplained", certainty: "likely", message: "M.", fix: "F." }],
			checked: { headerNames: [], bodyBytes: undefined, hmacs: 3, skipped: ["S."] },
		});
		expect(report).toBe(
			"The delivery is rejected.\n- likely (unexplained): M. F.\nChecked: no headers; no bytes of raw body; 3 HMACs.\nS.\n",
		);
	});
});

import { createHmac, timingSafeEqual } from "node:crypto";
import { signWebhook, verifySignature, verifyWebhook } from "messaging-gateway/webhooks";
import type { SampleDelivery } from "./inputs.ts";
import { loadPeer } from "./peers.ts";
import { prove, rejects } from "./prove.ts";
import type { Contender, Role } from "./table.ts";

/** The secret of all verifiers; those of Standard Webhooks need it in base64. */
const SECRET = Buffer.from("a-secret-of-32-characters-length").toString("base64");

/** A body as a server reads it. */
export type Body = string | Buffer;

/** Verifies a body against headers that were made for the sample delivery, and parses it. */
export interface Verifier {
	readonly name: string;
	readonly role: Role;
	readonly verify: (body: Body) => unknown;
}

/** A verifier's contender for a body, proved to accept it and to reject another. */
export async function toContender({ name, role, verify }: Verifier, body: Body): Promise<Contender> {
	prove(!(await rejects(() => verify(body))), `${name} accepts what was signed`);
	const [last, space] = ["}", " "];
	const tampered =
		typeof body === "string"
			? body.replace(/.$/, `${space}${last}`)
			: Buffer.concat([body.subarray(0, -1), Buffer.from(`${space}${last}`)]);
	prove(await rejects(() => verify(tampered)), `${name} rejects another body`);
	return { name, role, run: () => verify(body) };
}

/** Ours, which narrows the payload or does not, with headers as node:http has them. */
export function createOurs(delivery: SampleDelivery): { readonly [Name in "plain" | "narrowing"]: Verifier } {
	const headers = lowerCase(signWebhook({ ...delivery, body: delivery.text, secret: SECRET }));
	return {
		plain: {
			name: "verifySignature + JSON.parse",
			role: "ours",
			verify(body) {
				verifySignature({ body, headers }, { secret: SECRET });
				return parse(body);
			},
		},
		narrowing: {
			name: "verifyWebhook",
			role: "ours",
			verify: (body) => verifyWebhook({ body, headers }, { secret: SECRET }),
		},
	};
}

/** The minimum: one HMAC, one comparison, one parse. */
export function createFloor(delivery: SampleDelivery): Verifier {
	const { text, timestamp } = delivery;
	const expected = createHmac("sha256", SECRET).update(`${timestamp}.`).update(text).digest("hex");
	return {
		name: "createHmac + JSON.parse",
		role: "floor",
		verify(body) {
			const signature = createHmac("sha256", SECRET).update(`${timestamp}.`).update(body).digest();
			if (!timingSafeEqual(signature, Buffer.from(expected, "hex"))) throw new Error("mismatch");
			return parse(body);
		},
	};
}

/** The peers: each with its own kind of headers, for the same body. */
export async function createPeers(delivery: SampleDelivery): Promise<Verifier[]> {
	const { text, timestamp } = delivery;
	const { default: Stripe } = await loadPeer("stripe");
	const { webhooks } = new Stripe("sk_test_unused", {});
	const { verify: octokitVerify } = await loadPeer("@octokit/webhooks-methods");
	const stripeHeader = `t=${timestamp},v1=${createHmac("sha256", SECRET).update(`${timestamp}.${text}`).digest("hex")}`;
	const octokitHeader = `sha256=${createHmac("sha256", SECRET).update(text).digest("hex")}`;
	return [
		{
			name: "stripe",
			role: "peer",
			verify: (body) => webhooks.constructEvent(body, stripeHeader, SECRET),
		},
		await createStandard("standardwebhooks", "webhook", delivery),
		await createStandard("svix", "svix", delivery),
		{
			name: "@octokit/webhooks-methods",
			role: "peer",
			// It accepts only a string.
			async verify(body) {
				const given = body.toString();
				if (!(await octokitVerify(SECRET, given, octokitHeader))) throw new Error("mismatch");
				return JSON.parse(given);
			},
		},
	];
}

/** One of the verifiers of Standard Webhooks; svix is the same with other header names. */
export async function createStandard(
	name: "standardwebhooks" | "svix",
	prefix: string,
	{ text, eventId, timestamp }: SampleDelivery,
): Promise<Verifier> {
	const { Webhook } = await loadPeer(name);
	const webhook = new Webhook(SECRET);
	const headers = {
		[`${prefix}-id`]: eventId,
		[`${prefix}-timestamp`]: String(timestamp),
		[`${prefix}-signature`]: webhook.sign(eventId, new Date(timestamp * 1000), text),
	};
	return { name, role: "peer", verify: (body) => webhook.verify(body, headers) };
}

function parse(body: Body): unknown {
	return JSON.parse(typeof body === "string" ? body : body.toString());
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
	return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

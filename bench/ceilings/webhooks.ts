import { createHmac, timingSafeEqual } from "node:crypto";
import { signWebhook, verifySignature, verifyWebhook } from "messaging-gateway/webhooks";
import { type Contender, type OpenCases, prove, type Role, rejects } from "../cases.ts";
import { createPayload, SECRET } from "../inputs.ts";
import { loadPeer } from "../peers/load.ts";

/** Verifying a webhook of 1 kB and parsing it: with narrowing, which no peer does, and without. */
export const openVerifiers: OpenCases = async function* () {
	const text = await createPayload(1_000);
	const verifiers = await createVerifiers(text);
	for (const [name, body] of [
		["1 kB, string", text],
		["1 kB, Buffer", Buffer.from(text)],
	] as const) {
		const contenders: Contender[] = [];
		for (const [verifier, verify] of Object.entries(verifiers)) {
			await proveVerifier(verifier, verify, body);
			const role = ROLES[verifier] ?? "peer";
			contenders.push({ name: verifier, role, run: () => verify(body) });
		}
		yield { name, contenders };
	}
};

/** A body as a server reads it. */
type Body = string | Buffer;

/** The secret of all verifiers; those of Standard Webhooks need it in base64. */
const KEY = Buffer.from(SECRET).toString("base64");

/** Verifies a body against headers that were made for it, and parses it. */
type Verify = (body: Body) => unknown;

async function proveVerifier(name: string, verify: Verify, body: Body): Promise<void> {
	const end = " }";
	const tampered =
		typeof body === "string"
			? body.slice(0, -1) + end
			: Buffer.concat([body.subarray(0, -1), Buffer.from(end)]);
	prove(!(await rejects(() => verify(body))), `${name} accepts what was signed`);
	prove(await rejects(() => verify(tampered)), `${name} rejects another body`);
}

const FLOOR = "createHmac + JSON.parse";
const BARE = "verifySignature + JSON.parse";

const ROLES: Readonly<Record<string, Role>> = { verifyWebhook: "ours", [BARE]: "ours", [FLOOR]: "floor" };

/** Each has its own kind of headers, for the same body. */
async function createVerifiers(text: string): Promise<Readonly<Record<string, Verify>>> {
	const now = Date.now();
	const timestamp = Math.floor(now / 1000);
	const eventId = "evt_0123456789abcdef01234567";
	const signed = signWebhook({ body: text, secret: KEY, eventId, timestamp });
	// As `node:http` has them.
	const headers = Object.fromEntries(
		Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value]),
	);
	const expected = createHmac("sha256", KEY).update(`${timestamp}.${text}`).digest();

	const { default: Stripe } = await loadPeer("stripe");
	const stripe = new Stripe("sk_test_unused", {}).webhooks;
	const stripeHeader = `t=${timestamp},v1=${expected.toString("hex")}`;
	const { Webhook } = await loadPeer("standardwebhooks");
	const webhook = new Webhook(KEY);
	const standardHeaders = {
		"webhook-id": eventId,
		"webhook-timestamp": String(timestamp),
		"webhook-signature": webhook.sign(eventId, new Date(timestamp * 1000), text),
	};
	return {
		verifyWebhook: (body) => verifyWebhook({ body, headers }, { secret: KEY }),
		[BARE](body) {
			verifySignature({ body, headers }, { secret: KEY });
			return parse(body);
		},
		stripe: (body) => stripe.constructEvent(body, stripeHeader, KEY),
		standardwebhooks: (body) => webhook.verify(body, standardHeaders),
		[FLOOR](body) {
			const signature = createHmac("sha256", KEY).update(`${timestamp}.`).update(body).digest();
			if (!timingSafeEqual(signature, expected)) throw new Error("mismatch");
			return parse(body);
		},
	};
}

function parse(body: Body): unknown {
	return JSON.parse(typeof body === "string" ? body : body.toString());
}

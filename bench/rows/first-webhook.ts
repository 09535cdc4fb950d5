import { spawn } from "node:child_process";
import { signWebhook } from "messaging-gateway/webhooks";
import { type Figures, type MeasuredContender, type OpenCases, prove, type Role } from "../cases.ts";
import { createPayload } from "../inputs.ts";
import { loadPeer, PEERS_FOLDER } from "../peers/load.ts";
import { converse } from "../processes.ts";
import { FIRST_WEBHOOK } from "../settings.ts";

const ROOT = new URL("../..", import.meta.url).pathname;

/** The secret of all; the verifiers of Standard Webhooks need it in base64. */
const SECRET = Buffer.from("a-secret-of-32-characters-length").toString("base64");

/** Each verifies \`body\` with its own \`headers\`, and ends with the parsed \`event\`. */
const VERIFIERS: readonly (readonly [name: string, role: Role, folder: string, code: string])[] = [
	[
		"verifyWebhook",
		"ours",
		ROOT,
		`const { verifyWebhook } = await import("messaging-gateway/webhooks");
		const event = verifyWebhook({ body, headers }, { secret });`,
	],
	[
		"standardwebhooks",
		"peer",
		PEERS_FOLDER,
		`const { Webhook } = await import("standardwebhooks");
		const event = new Webhook(secret).verify(body, headers);`,
	],
	[
		"svix",
		"peer",
		PEERS_FOLDER,
		`const { Webhook } = await import("svix");
		new Webhook(secret).verify(body, headers);
		const event = JSON.parse(body);`,
	],
	[
		"node:crypto by hand",
		"floor",
		ROOT,
		`const { createHmac, timingSafeEqual } = await import("node:crypto");
		const expected = createHmac("sha256", secret).update(headers["x-svc-timestamp"] + "." + body).digest();
		const given = Buffer.from(headers["x-svc-signature"].slice("v1=".length), "hex");
		if (!timingSafeEqual(given, expected)) throw new Error("mismatch");
		const event = JSON.parse(body);`,
	],
];

/** What a new process takes to verify its first webhook, without the start of Node. */
export const openFirstWebhook: OpenCases = async function* () {
	const body = await createPayload(1_000);
	const contenders: MeasuredContender[] = [];
	for (const [name, role, folder, code] of VERIFIERS) {
		const program = `
			const [secret, body, headers] = [${JSON.stringify(SECRET)}, ${JSON.stringify(body)}, JSON.parse(process.argv[1])];
			const before = performance.now();
			${code}
			process.send({ ns: (performance.now() - before) * 1e6, event }, () => process.exit());`;
		async function measure(): Promise<Figures> {
			const headers = JSON.stringify(await signFor(name, body));
			const args = ["--no-warnings", "--input-type=module", "--eval", program, headers];
			const stdio = ["ignore", "inherit", "inherit", "ipc"] as const;
			const child = spawn(process.execPath, args, { cwd: folder, stdio: [...stdio] });
			const { ns, event } = await converse<{ ns: number; event: unknown }>(child, name)();
			prove(JSON.stringify(event).includes("The kitchen closes at ten"), `${name} returns the event`);
			return { cost: ns };
		}
		contenders.push({ name, role, measure });
	}
	yield { name: "a new process", rounds: FIRST_WEBHOOK.rounds, contenders };
};

async function signFor(name: string, body: string): Promise<Readonly<Record<string, string>>> {
	const [eventId, seconds] = ["evt_0123456789abcdef01234567", Math.floor(Date.now() / 1000)];
	if (name === "standardwebhooks" || name === "svix") {
		const { Webhook } = await loadPeer(name);
		const prefix = name === "svix" ? "svix" : "webhook";
		return {
			[`${prefix}-id`]: eventId,
			[`${prefix}-timestamp`]: String(seconds),
			[`${prefix}-signature`]: new Webhook(SECRET).sign(eventId, new Date(seconds * 1000), body),
		};
	}
	const signed = signWebhook({ body, secret: SECRET, eventId, timestamp: seconds });
	// As `node:http` has them.
	return Object.fromEntries(Object.entries(signed).map(([header, value]) => [header.toLowerCase(), value]));
}

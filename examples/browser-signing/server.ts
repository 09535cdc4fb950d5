import { Hono } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { csrf } from "hono/csrf";
import { signRequest } from "messaging-gateway/signing";
import { z } from "zod";

/** A user of the page, and the numbers that she may write to. */
interface User {
	name: string;
	contacts: readonly string[];
}

const COOKIE = "session";
const sessions = new Map<string, User>();

/** A request as the page wants to send it. */
const requestToSign = z.object({ method: z.string(), url: z.string(), body: z.string() });

/** The fields that a page may send. Strict: with `from` it could use another agent, with `status_callback` send events elsewhere. */
const text = z.strictObject({ to: z.string(), text: z.string().min(1).max(500) });

/** The server's routes for the page, under `/api`. */
export const api = new Hono();
api.use(csrf());

// Everybody is Ada: replace this by your own sign-in.
api.post("/sign-in", (context) => {
	const token = crypto.randomUUID();
	sessions.set(token, { name: "Ada", contacts: ["+15551234567", "+15557654321"] });
	const secure = new URL(context.req.url).protocol === "https:";
	setCookie(context, COOKIE, token, { httpOnly: true, sameSite: "Strict", secure });
	return context.body(null, 204);
});

api.get("/session", (context) => {
	const user = sessions.get(getCookie(context, COOKIE) ?? "");
	return context.json(user === undefined ? null : { ...user, baseUrl: readVariable("BASE_URL") });
});

// A signed request is sent in the name of the app, so this authenticates the user and checks the whole request.
api.post("/sign", async (context) => {
	const user = sessions.get(getCookie(context, COOKIE) ?? "");
	if (user === undefined) return context.text("Please sign in.", 401);
	const parsed = requestToSign.safeParse(await context.req.json().catch(() => undefined));
	if (!parsed.success) return context.text("This is not a request to sign.", 400);
	const { method, url, body } = parsed.data;
	if (method !== "POST" || url !== textUrl()) return context.text("Pages may only send texts.", 403);
	const message = text.safeParse(parseJson(body));
	if (!message.success) return context.text("Pages may send up to 500 characters, and nothing else.", 403);
	if (!user.contacts.includes(message.data.to))
		return context.text("This number is not one of your contacts.", 403);

	// The server sets the time and the nonce, so that a page cannot get a signature for later.
	const credentials = { appId: readVariable("APP_ID"), appSecret: readVariable("APP_SECRET") };
	const signed = signRequest({ method, url, body: message.data, ...credentials });
	const { signature, appId, timestamp, nonce } = signed;
	return context.json({ signature, appId, timestamp, nonce });
});

function textUrl(): string {
	return `${readVariable("BASE_URL").replace(/\/+$/, "")}/message/text`;
}

function parseJson(source: string): unknown {
	try {
		return JSON.parse(source);
	} catch {
		return undefined;
	}
}

function readVariable(name: "BASE_URL" | "APP_ID" | "APP_SECRET"): string {
	const value = process.env[`MESSAGING_GATEWAY_${name}`];
	if (value === undefined) throw new Error(`MESSAGING_GATEWAY_${name} is not set`);
	return value;
}

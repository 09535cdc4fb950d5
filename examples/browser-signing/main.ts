/**
 * Sends from a page in the browser: the App Secret stays on its server, which signs what the signed-in user may send. The page calls
 * the gateway itself. The specification does not show whether a gateway lets pages do so (CORS); the local one does.
 */
import type { KyInstance } from "ky";
import { ConnectionError, DuplicateMessageError, type Message, SignerError } from "messaging-gateway";
import { type RequestToSign, type SignerResult, signedKy } from "messaging-gateway/ky";

interface Session {
	name: string;
	contacts: string[];
	baseUrl: string;
}

const signIn = find("#sign-in", HTMLFormElement);
const compose = find("#compose", HTMLFormElement);
const send = find("#compose button", HTMLButtonElement);
const result = find("#result", HTMLElement);

let gateway: KyInstance | undefined;

signIn.addEventListener("submit", async (event) => {
	event.preventDefault();
	await callServer("sign-in", { method: "POST" });
	await showSession();
});

compose.addEventListener("submit", async (event) => {
	event.preventDefault();
	send.disabled = true;
	await sendText(new FormData(compose));
	send.disabled = false;
});

/** The server's last error message, which errors of the client do not contain. */
let serverMessage = "";

await showSession();

async function showSession(): Promise<void> {
	const session: Session | null = await (await callServer("session")).json();
	signIn.hidden = session !== null;
	compose.hidden = session === null;
	if (session === null) return;
	const { name, contacts, baseUrl } = session;
	find("#who", HTMLElement).textContent = `Signed in as ${name}`;
	find("#contacts", HTMLElement).textContent = `Your contacts: ${contacts.join(", ")}`;
	find("#to", HTMLInputElement).value = contacts[0] ?? "";
	gateway = signedKy({ baseUrl, signer: signOnServer });
}

async function sendText(fields: FormData): Promise<void> {
	if (gateway === undefined) return;
	try {
		const json = { to: fields.get("to"), text: fields.get("text") };
		const { data } = await gateway.post("message/text", { json }).json<{ data: { message: Message } }>();
		show("good", `The message is ${data.message.status}.\n${data.message.messageId}`);
	} catch (error) {
		show("bad", explain(error));
	}
}

/** Called for every attempt, since each one has a time and a nonce of its own. */
async function signOnServer({ method, url, body }: RequestToSign): Promise<SignerResult> {
	const request = { method, url, body: new TextDecoder().decode(body) };
	const response = await callServer("sign", {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify(request),
	});
	return response.json();
}

async function callServer(path: string, init?: RequestInit): Promise<Response> {
	const response = await fetch(`/api/${path}`, init);
	if (response.ok) return response;
	serverMessage = await response.text();
	throw new Error(serverMessage);
}

function explain(error: unknown): string {
	if (error instanceof DuplicateMessageError) {
		return `Not sent: the gateway reports a duplicate. Try again in ${Math.ceil(error.duplicate?.timeRemaining ?? 0)} seconds.`;
	}
	// The server did not sign.
	if (error instanceof SignerError) return serverMessage;
	if (error instanceof ConnectionError) return "The gateway can't be reached, or does not let pages call it.";
	return error instanceof Error ? error.message : String(error);
}

function show(kind: "good" | "bad", text: string): void {
	result.className = kind;
	result.textContent = text;
}

function find<Kind extends Element>(selector: string, kind: new () => Kind): Kind {
	const element = document.querySelector(selector);
	if (!(element instanceof kind)) throw new Error(`the page has no ${selector}`);
	return element;
}

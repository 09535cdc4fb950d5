/** Kubb: a file for each operation. Its functions return the body alone, so the client that they get throws. `npx kubb generate --config kubb.config.ts` makes them. */
import { type ErrorEnvelope, mappingsGet, messagesSendText } from "./kubb";
import type { Client } from "./kubb/.kubb/fetch";
import { signedFetch } from "./signed-fetch";

const client: Client = async ({ method = "GET", url, params, data }) => {
	const target = new URL(`${process.env.MESSAGING_GATEWAY_BASE_URL}${url}`);
	for (const [name, value] of Object.entries(params ?? {})) target.searchParams.set(name, String(value));
	const body = data === undefined ? null : JSON.stringify(data);
	const response = await signedFetch(new Request(target, { method, body }));
	const { status, statusText, headers } = response;
	if (!response.ok) throw await response.json();
	return { data: await response.json(), status, statusText, headers };
};
const codeOf = ({ error }: ErrorEnvelope) => error.code;

const message = { to: "+15551234567", text: "Hello" };
console.log(await messagesSendText(message, { client }).then(({ data }) => data.message.status, codeOf)); // queued

const found = mappingsGet("+15551234567", { client });
console.log(await found.then(({ data }) => data.mapping.outbound, codeOf)); // 1

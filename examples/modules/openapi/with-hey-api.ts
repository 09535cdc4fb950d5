/** @hey-api/openapi-ts: a function for each operation. `npx openapi-ts --input openapi.json --output gateway` makes them. */
import { mappingsGet, messagesSendText } from "./gateway";
import { createClient } from "./gateway/client";
import { signedFetch } from "./signed-fetch";

const client = createClient({
	baseUrl: process.env.MESSAGING_GATEWAY_BASE_URL ?? "",
	fetch: (input, init) => signedFetch(new Request(input, init)),
});

const sent = await messagesSendText({ client, body: { to: "+15551234567", text: "Hello" } });
console.log(sent.data?.data.message.status ?? sent.error?.error.code); // queued

const found = await mappingsGet({ client, path: { toNumber: "+15551234567" } });
console.log(found.data?.data.mapping.outbound ?? found.error?.error.code); // 1

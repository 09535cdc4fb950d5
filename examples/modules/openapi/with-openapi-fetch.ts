/** openapi-typescript with `openapi-fetch`: types only. `npx openapi-typescript openapi.json --output openapi.ts` makes them. */
import createClient from "openapi-fetch";
import type { paths } from "./openapi";
import { signedFetch } from "./signed-fetch";

const api = createClient<paths>({
	baseUrl: process.env.MESSAGING_GATEWAY_BASE_URL ?? "",
	fetch: signedFetch,
});

const sent = await api.POST("/message/text", { body: { to: "+15551234567", text: "Hello" } });
console.log(sent.data?.data.message.status ?? sent.error?.error.code); // queued

const params = { path: { toNumber: "+15551234567" } };
const found = await api.GET("/mapping/{toNumber}", { params });
console.log(found.data?.data.mapping.outbound ?? found.error?.error.code); // 1

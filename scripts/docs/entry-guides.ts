/** The guide of each entry of the package: pages of the reference lead to it. */

/** The names of the documents by the path of an entry below the package's name; an entry has that of the nearest folder. */
export const ENTRY_GUIDES: Readonly<Record<string, string>> = {
	"": "sending",
	chat: "chat",
	doctor: "doctor",
	ky: "openapi",
	maps: "profile",
	node: "sending",
	opentelemetry: "observability",
	sends: "sends",
	signing: "openapi",
	stores: "stores",
	testing: "testing",
	webhooks: "webhooks",
	"webhooks/capture": "captures",
	"webhooks/express": "frameworks/express",
	"webhooks/fastify": "frameworks/fastify",
	"webhooks/hono": "frameworks/hono",
	"webhooks/node": "frameworks/node",
};

/** The name of the guide for an entry, such as `messaging-gateway/stores/redis`. */
export function guideOf(entry: string): string | undefined {
	const [, ...folders] = entry.split("/");
	return ENTRY_GUIDES[folders.join("/")] ?? ENTRY_GUIDES[folders[0] ?? ""];
}

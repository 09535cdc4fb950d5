import manifest from "../../package.json" with { type: "json" };

/** An import to measure. */
export interface Subject {
	readonly name: string;
	/** The user's code. */
	readonly code: string;
	readonly platform: "browser" | "node";
	/** Where its imports are resolved from. @default the root of this repository */
	readonly folder?: string;
}

/** Every entry of the package except its data, as a whole. */
export const ENTRIES: readonly Subject[] = Object.entries(manifest.exports).flatMap(([entry, target]) => {
	if (typeof target === "string") return [];
	const name = `messaging-gateway${entry.slice(1)}`;
	return { name, code: `export * from "${name}";`, platform: "browser" in target ? "node" : "browser" };
});

/** The usual imports. */
export const SINGLE_EXPORTS: readonly Subject[] = [
	single("MessagingGateway", ""),
	single("verifySignature", "/webhooks"),
	single("verifyWebhook", "/webhooks"),
	single("createWebhookHandler, memoryStore", "/webhooks"),
	{
		name: "MessagingGateway + createSender",
		code: 'export { MessagingGateway } from "messaging-gateway"; export { createSender } from "messaging-gateway/sends";',
		platform: "browser",
	},
	single("signRequest", "/signing"),
	single("verifyRequest", "/signing"),
	single("canonicalize", "/signing"),
	single("createLocalGateway", "/testing"),
];

/** All measured imports. */
export const SUBJECTS: readonly Subject[] = [...ENTRIES, ...SINGLE_EXPORTS];

function single(names: string, entry: string): Subject {
	const code = `export { ${names} } from "messaging-gateway${entry}";`;
	return { name: names.replace(", ", " + "), code, platform: "browser" };
}

import { readFileSync } from "node:fs";

/** Something to import, and so to measure. */
export interface Subject {
	readonly name: string;
	/** What a user writes. */
	readonly code: string;
	readonly platform: "browser" | "node";
	/** Packages that do not count, so that our own code is seen; its sources are bundled then, as zod is part of dist. */
	readonly without?: readonly string[];
}

type Exports = Readonly<Record<string, string | Readonly<Record<string, string | null>>>>;

const manifest: { name: string; exports: Exports } = JSON.parse(
	readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);

/** Every entry of the package but its data, whole. */
export const ENTRIES: readonly Subject[] = Object.entries(manifest.exports).flatMap(([entry, target]) => {
	if (typeof target === "string") return [];
	const name = `${manifest.name}${entry.slice(1)}`;
	return {
		name,
		code: `export * from "${name}";`,
		platform: target["browser"] === null ? "node" : "browser",
	};
});

/** What most users import of them. */
export const SINGLE_EXPORTS: readonly Subject[] = [
	single("MessagingGateway", ""),
	single("verifySignature", "/webhooks"),
	single("verifyWebhook", "/webhooks"),
	single("createWebhookHandler", "/webhooks"),
	single("signRequest", "/signing"),
	single("verifyRequest", "/signing"),
	single("canonicalize", "/signing"),
];

/** Everything that is measured. */
export const SUBJECTS: readonly Subject[] = [
	...ENTRIES,
	...SINGLE_EXPORTS,
	{
		...single("MessagingGateway", ""),
		name: "MessagingGateway, our own code",
		without: ["ky", "@noble/hashes", "zod"],
	},
];

function single(name: string, entry: string): Subject {
	return { name, code: `export { ${name} } from "${manifest.name}${entry}";`, platform: "browser" };
}

import { readFileSync } from "node:fs";

/** An import to measure. */
export interface Subject {
	readonly name: string;
	/** The user's code. */
	readonly code: string;
	readonly platform: "browser" | "node";
	/** Where its imports are resolved from. @default the root of this repository */
	readonly folder?: string;
}

type Exports = Readonly<Record<string, string | Readonly<Record<string, string | null>>>>;

const manifest: { name: string; exports: Exports } = JSON.parse(
	readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);

/** Every entry of the package except its data, as a whole. */
export const ENTRIES: readonly Subject[] = Object.entries(manifest.exports).flatMap(([entry, target]) => {
	if (typeof target === "string") return [];
	const name = `${manifest.name}${entry.slice(1)}`;
	return {
		name,
		code: `export * from "${name}";`,
		platform: target["browser"] === null ? "node" : "browser",
	};
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

/** A measured import by its name; throws if there is none. */
export function findSubject(name: string): Subject {
	const subject = SUBJECTS.find((other) => other.name === name);
	if (subject === undefined) throw new Error(`there is no import ${name}`);
	return subject;
}

function single(names: string, entry: string): Subject {
	return {
		name: names.replace(", ", " + "),
		code: `export { ${names} } from "${manifest.name}${entry}";`,
		platform: "browser",
	};
}

import { fileURLToPath } from "node:url";
import { measureSize } from "../../sizes/measure.ts";
import { findSubject, type Subject } from "../../sizes/subjects.ts";
import type { CaseRecord, ContenderRecord } from "../record.ts";
import type { Role, SpeedTable } from "../table.ts";

const PEERS = fileURLToPath(new URL("../../peers", import.meta.url));

/** What a browser loads at first for one import: bundled, minified and compressed. */
export const table: SpeedTable = {
	title: "Size in a bundle",
	unit: "bytes",
	shows: "cost",
	async *openCases(): AsyncIterable<CaseRecord> {
		yield {
			name: "minified, gzip",
			contenders: [
				await measure("ours", findSubject("MessagingGateway")),
				await measure("peer", peer("@linqapp/sdk", "default")),
				await measure("peer", peer("sendblue", "default")),
				await measure("peer", peer("stripe", "default")),
				await measure("peer", peer("openai", "default")),
				await measure("ours", findSubject("createWebhookHandler + memoryStore")),
				await measure("ours", findSubject("verifyWebhook")),
				await measure("ours", findSubject("verifySignature")),
				await measure("peer", peer("standardwebhooks", "Webhook")),
				await measure("peer", peer("svix", "Webhook")),
			],
		};
	},
};

function peer(name: string, exported: string): Subject {
	const code = `export { ${exported} } from "${name}";`;
	return { name, code, platform: "browser", folder: PEERS };
}

async function measure(role: Role, subject: Subject): Promise<ContenderRecord> {
	const bytes = await measureSize(subject);
	return { name: subject.name, role, costs: [bytes] };
}

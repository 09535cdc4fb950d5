import { measureSize } from "../../scripts/sizes/record.ts";
import { SINGLE_EXPORTS, type Subject } from "../../scripts/sizes/subjects.ts";
import { findNamed, type OpenCases, type Role, record } from "../cases.ts";
import { PEERS_FOLDER } from "../peers/load.ts";

/** What a browser or an edge function loads for one import: minified and compressed. */
export const openSize: OpenCases = async function* () {
	const subjects = [
		findNamed(SINGLE_EXPORTS, "MessagingGateway"),
		peer("@linqapp/sdk", "default"),
		peer("resend", "Resend"),
		peer("stripe", "default"),
		findNamed(SINGLE_EXPORTS, "createWebhookHandler + memoryStore"),
		findNamed(SINGLE_EXPORTS, "verifyWebhook"),
		findNamed(SINGLE_EXPORTS, "verifySignature"),
		peer("standardwebhooks", "Webhook"),
		peer("svix", "Webhook"),
	];
	const roles = subjects.map(({ name, folder }): [string, Role] => [name, folder ? "peer" : "ours"]);
	const sizes: Record<string, number> = {};
	for (const subject of subjects) sizes[subject.name] = await measureSize(subject);
	yield record("one file", "bytes", sizes, Object.fromEntries(roles));
};

function peer(name: string, exported: string): Subject {
	const code = `export { ${exported} } from "${name}";`;
	return { name, code, platform: "browser", folder: PEERS_FOLDER };
}

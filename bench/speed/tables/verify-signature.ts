import { createDelivery } from "../inputs.ts";
import type { SpeedTable } from "../table.ts";
import { createFloor, createOurs, createPeers, createSignatureOnly, toContender } from "../verifiers.ts";

/** The smallest inbound message is this size, so that 300 bytes of the target are the smallest that there is. */
const SIZES = [
	["0.5 kB", 500],
	["1 kB", 1_000],
	["10 kB", 10_000],
	["1 MB", 1_000_000],
] as const;

/** Verifying a webhook and parsing it, without narrowing, as all peers do it. */
export const table: SpeedTable = {
	title: "Verifying a webhook, without narrowing",
	async *openCases() {
		for (const [name, bytes] of SIZES) {
			for (const form of ["string", "Buffer"] as const) {
				const delivery = await createDelivery(bytes);
				const body = form === "string" ? delivery.text : Buffer.from(delivery.text);
				const verifiers = [
					createOurs(delivery).plain,
					...(await createPeers(delivery)),
					createFloor(delivery),
				];
				const contenders = await Promise.all(verifiers.map((verifier) => toContender(verifier, body)));
				yield { name: `${name}, ${form}`, contenders };
			}
		}
		const delivery = await createDelivery(1_000_000);
		const contenders = await createSignatureOnly(delivery, Buffer.from(delivery.text));
		yield { name: "1 MB, Buffer, signature alone", contenders };
	},
};

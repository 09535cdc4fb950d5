import { createDelivery } from "../inputs.ts";
import type { SpeedTable } from "../table.ts";
import { createFloor, createOurs, createPeers, toContender } from "../verifiers.ts";

/** Verifying a webhook with narrowing, which no peer does, beside those that return the parsed value. */
export const table: SpeedTable = {
	title: "Verifying a webhook, with narrowing",
	async *openCases() {
		for (const form of ["string", "Buffer"] as const) {
			const delivery = await createDelivery(1_000);
			const body = form === "string" ? delivery.text : Buffer.from(delivery.text);
			const verifiers = [
				createOurs(delivery).narrowing,
				...(await createPeers(delivery)),
				createFloor(delivery),
			];
			const contenders = await Promise.all(verifiers.map((verifier) => toContender(verifier, body)));
			yield { name: `1 kB, ${form}`, contenders };
		}
	},
};

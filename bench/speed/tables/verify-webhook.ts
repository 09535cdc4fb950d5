import { createDelivery } from "../inputs.ts";
import type { SpeedTable } from "../table.ts";
import { createFloor, createOurs, createPeers, toContender } from "../verifiers.ts";

const SIZES = [
	["1 kB", 1_000],
	["10 kB", 10_000],
	["1 MB", 1_000_000],
] as const;

/** Verifying a webhook and parsing it: with narrowing, which no peer does, and without. */
export const table: SpeedTable = {
	title: "Verifying a webhook",
	async *openCases() {
		for (const [name, bytes] of SIZES) {
			for (const form of ["string", "Buffer"] as const) {
				const delivery = await createDelivery(bytes);
				const body = form === "string" ? delivery.text : Buffer.from(delivery.text);
				const { plain, narrowing } = createOurs(delivery);
				const verifiers = [narrowing, plain, ...(await createPeers(delivery)), createFloor(delivery)];
				const contenders = await Promise.all(verifiers.map((verifier) => toContender(verifier, body)));
				yield { name: `${name}, ${form}`, contenders };
			}
		}
	},
};

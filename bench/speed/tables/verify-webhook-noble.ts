import { createDelivery } from "../inputs.ts";
import type { SpeedTable } from "../table.ts";
import { createFloor, createOurs, createStandard, toContender } from "../verifiers.ts";

/** Verifying a webhook in a runtime without synchronous hashing, such as a browser. */
export const table: SpeedTable = {
	title: "Verifying a webhook, without native hashing",
	async *openCases() {
		// Before the first hash: this is how the package finds native hashing.
		if (!Reflect.deleteProperty(process, "getBuiltinModule")) throw new Error("it cannot be taken away");
		const delivery = await createDelivery(1_000);
		const { plain, narrowing } = createOurs(delivery);
		const verifiers = [
			plain,
			narrowing,
			await createStandard("standardwebhooks", "webhook", delivery),
			createFloor(delivery),
		];
		for (const body of [delivery.text, Buffer.from(delivery.text)]) {
			const contenders = await Promise.all(verifiers.map((verifier) => toContender(verifier, body)));
			yield { name: `1 kB, ${typeof body === "string" ? "string" : "Buffer"}`, contenders };
		}
	},
};

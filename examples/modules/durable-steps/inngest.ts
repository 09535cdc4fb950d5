/** A step of Inngest sends once: the run and the name of the step are the key. A step in a loop needs the number of its turn in both. */
import { Inngest, RetryAfterError } from "inngest";
import { sendInStep } from "./step-sender.ts";

export const inngest = new Inngest({ id: "shop" });

export const shipOrder = inngest.createFunction(
	{ id: "ship-order", retries: 20, triggers: { event: "order/shipped" } },
	async ({ event, step, runId }) => {
		const { phone, order } = event.data;
		return step.run("notify", () =>
			sendInStep(
				`${runId}:notify`, // the name of the step, which is unique within its run
				{ to: phone, text: `Order ${order} is on its way.` },
				(message, waitMs) => new RetryAfterError(message, waitMs),
			),
		);
	},
);

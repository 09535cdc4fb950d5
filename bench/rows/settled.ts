import { MessagingGateway } from "messaging-gateway";
import { createLocalGateway, type LocalGatewayOptions } from "messaging-gateway/testing";
import { type Figures, type OpenCases, prove } from "../cases.ts";
import { SETTLED } from "../settings.ts";

/** What `settled()` takes for each send of a test that sends a lot. */
export const openSettled: OpenCases = async function* () {
	const { sends, rounds } = SETTLED;
	yield {
		name: `a send of ${sends.toLocaleString("en")}`,
		rounds,
		contenders: [
			{ name: "no receiver", role: "ours", measure: () => settle(sends, {}) },
			{ name: "a receiver of three webhooks", role: "ours", measure: () => settle(sends, { deliverTo }) },
		],
	};
};

const deliverTo = () => new Response(null, { status: 204 });

/** The time for each of so many sends. */
async function settle(sends: number, options: LocalGatewayOptions): Promise<Figures> {
	const local = createLocalGateway(options);
	const gateway = new MessagingGateway(local.clientOptions);
	for (let at = 0; at < sends; at++) {
		await gateway.messages.sendText({ to: `+1555${1_000_000 + at}`, text: `Table ${at} is booked.` });
	}
	const start = performance.now();
	await local.settled();
	const elapsedMs = performance.now() - start;
	prove(
		local.sent.length === sends && local.sent.every(({ status }) => status === "read"),
		"every send has settled",
	);
	await local.close();
	return { cost: (elapsedMs * 1e6) / sends };
}

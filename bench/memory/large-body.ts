import { signWebhook, verifyWebhook } from "messaging-gateway/webhooks";
import { createDelivery } from "../speed/inputs.ts";
import type { CaseRecord } from "../speed/record.ts";
import { compareEnds } from "./compare-samples.ts";

const SECRET = "a-secret-of-32-characters-length";
const BODY_BYTES = 1_000_000;
const RUNS = 50;

/** The buffers around verifying the bytes of one body, before garbage is collected: a copy of the body would show. */
export async function measureLargeBody(): Promise<CaseRecord> {
	const { text } = await createDelivery(BODY_BYTES);
	const body = Buffer.from(text);
	const delivery = { body, headers: signWebhook({ body, secret: SECRET }) };
	const before: number[] = [];
	const after: number[] = [];
	for (let at = 0; at < 2 * RUNS; at++) {
		const buffersBefore = process.memoryUsage().external;
		verifyWebhook(delivery, { secret: SECRET });
		if (at < RUNS) continue;
		before.push(buffersBefore);
		after.push(process.memoryUsage().external);
	}
	return compareEnds("buffers of a body of 1 MB", before, after);
}

import { type ClientOptions, isMessagingGatewayError, type MessagingGateway } from "messaging-gateway";
import { expect } from "vitest";
import { settle } from "../../../support/counting-clock.ts";
import { type Step, scriptGateway } from "../../../support/scripted-gateway.ts";
import { USER } from "../../../support/wire.ts";

/** A call, what its attempts get in turn, and the options of its client. */
export interface Played {
	readonly steps: Step | readonly Step[];
	/** @default a read of the catalogue's, whose response is documented */
	readonly call?: ((gateway: MessagingGateway) => PromiseLike<unknown>) | undefined;
	readonly options?: ClientOptions | undefined;
}

const getMapping = (gateway: MessagingGateway) => gateway.mappings.get(USER);

/** How a call of one attempt ends: with its data as JSON, or with an error, as `describeError` writes it. */
export async function endingOf({ steps, call = getMapping, options }: Played): Promise<string> {
	const { gateway, clock } = scriptGateway([steps].flat(), { maxRetries: 0, ...options });
	const ending = await settle(clock, Promise.resolve(call(gateway))).then(
		(data) => String(JSON.stringify(data)),
		describeError,
	);
	expect(clock.openTimers).toBe(0);
	return ending;
}

/** An error of ours, whole but for its sentence, which test/messages holds. */
export function describeError(error: unknown): string {
	if (!isMessagingGatewayError(error)) return `not ours: ${error}`;
	const { name, code } = error;
	const read = (field: string): unknown => Reflect.get(error, field);
	const what = [name, code, read("status"), read("gatewayCode")].filter((word) => word !== undefined);
	const attempts = Number(read("attempts") ?? 1);
	const tries = attempts > 1 ? ` after ${attempts} attempts` : "";
	return `${what.join(" ")}, ${read("outcome")}${tries}${describeIssues(read("issues"))}`;
}

/** Issues as an error has them: where, and what. */
function describeIssues(issues: unknown): string {
	if (!Array.isArray(issues)) return "";
	return `: ${issues.map(({ path, message }) => `${path} ${message}`.trim()).join("; ")}`;
}

import * as z from "zod/mini";
import {
	type FaultKind,
	type FaultSetting,
	REQUEST_FAULTS,
	type RequestFaultChoice,
	WEBHOOK_FAULTS,
	type WebhookFaultChoice,
} from "../../local-gateway/fault-kinds.ts";

/** The schema of a fault, from the rows of its kinds; their type holds that the settings are those of `Choice`. */
function choiceOf<Choice>(kinds: Readonly<Record<string, FaultKind>>): z.ZodMiniType<Choice> {
	const [first, ...others] = Object.entries(kinds).map(([kind, { settings }]) => {
		const fields = Object.entries<FaultSetting>(settings).map(([field, setting]) => [
			field,
			toSchema(setting),
		]);
		return z.strictObject({ kind: z.literal(kind), ...Object.fromEntries(fields) });
	});
	if (first === undefined) throw new TypeError("there are no kinds");
	const names = Object.keys(kinds).join(", ");
	const schema = z.discriminatedUnion("kind", [first, ...others], `must name its kind, one of ${names}`);
	return schema as unknown as z.ZodMiniType<Choice>;
}

function toSchema(setting: FaultSetting) {
	if ("words" in setting) return z.enum(setting.words);
	const { isDuration, minimum, maximum, option } = setting;
	const bounds = [z.minimum(minimum), z.maximum(maximum)];
	const number = z.number().check(...(isDuration ? bounds : [z.int("must be an integer"), ...bounds]));
	return option === undefined ? number : z.optional(number);
}

/** A fault of a request. */
export const requestFaultChoice = choiceOf<RequestFaultChoice>(REQUEST_FAULTS);

/** A fault of a delivery. */
export const webhookFaultChoice = choiceOf<WebhookFaultChoice>(WEBHOOK_FAULTS);

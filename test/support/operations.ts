import type { GatewayCall, MessagingGateway, RetryClass } from "messaging-gateway";
import { MAPPING, MESSAGE, ok, USER } from "./wire.ts";

/** One operation of each retry class, with the answer that ends it well. */
export const BY_RETRY_CLASS: Record<
	RetryClass,
	{ call: (gateway: MessagingGateway) => GatewayCall<object>; success: Response }
> = {
	safe: {
		call: (gateway: MessagingGateway) => gateway.mappings.get(USER),
		success: ok({ mapping: MAPPING }),
	},
	same: {
		call: (gateway: MessagingGateway) => gateway.mappings.update(USER, { maxConsecutiveMessages: 3 }),
		success: ok({ mapping: MAPPING }),
	},
	never: {
		call: (gateway: MessagingGateway) => gateway.messages.sendText({ to: USER, text: "Hello" }),
		success: ok({ message: MESSAGE }, { status: 202 }),
	},
};

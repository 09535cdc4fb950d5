import {
	getWebhooks,
	type SetWebhooksInput,
	setWebhooks,
	type WebhookSettings,
} from "../../catalogue/settings.ts";
import { isJsonObject } from "../../is-object.ts";
import { callerOf } from "../bound-caller.ts";
import type { GatewayCall } from "../gateway-call.ts";
import type { CallOptions } from "../options.ts";

/** Sets where the gateway delivers webhooks. */
export class Settings {
	/**
	 * Sets, changes or unsets your webhook URLs. A field that you leave out stays as it is. The response is assumed,
	 * and a success without a body resolves to `undefined`.
	 * @see Specification, section 4.2
	 */
	setWebhooks(input: SetWebhooksInput, options?: CallOptions): GatewayCall<WebhookSettings | undefined> {
		return callerOf(this).call(setWebhooks, unsetNulls(input), options);
	}

	/**
	 * Gets your webhook URLs.
	 * @experimental
	 */
	getWebhooks(options?: CallOptions): GatewayCall<WebhookSettings> {
		return callerOf(this).call(getWebhooks, {}, options);
	}
}

/** Section 4.2, rule 2: an empty value unsets a destination. */
function unsetNulls(input: SetWebhooksInput): SetWebhooksInput {
	if (!isJsonObject(input)) return input;
	return Object.fromEntries(Object.entries(input).map(([name, url]) => [name, url === null ? "" : url]));
}

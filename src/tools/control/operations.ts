import { defineOperation, type Operation } from "../../library/catalogue/operation.ts";
import type { Schema } from "../../library/catalogue/schema.ts";
import { CONTROL_ROUTES, type ControlContract, type ControlOperationId } from "./routes.ts";
import { action } from "./schemas/actions.ts";
import { byId, empty, pageQuery } from "./schemas/inputs.ts";

/** An operation of the control, declared as those of the gateway are. */
export interface ControlOperation<Id extends ControlOperationId = ControlOperationId>
	extends Operation<ControlContract[Id]["input"], ControlContract[Id]["data"], Id> {
	/** What it does, in a sentence. */
	readonly summary: string;
}

/** The gateway's own values are not checked. */
function trusted<Data>(): Schema<Data> {
	return {
		"~standard": { version: 1, vendor: "messaging-gateway", validate: (value) => ({ value: value as Data }) },
	};
}

function declare<const Id extends ControlOperationId>(
	id: Id,
	input: Schema<ControlContract[Id]["input"]>,
	summary: string,
): ControlOperation<Id> {
	const [method, path] = CONTROL_ROUTES[id];
	const data = trusted<ControlContract[Id]["data"]>();
	const operation = defineOperation({ id, method, path, input, data, isSigned: false, hasEnvelope: false });
	return { ...operation, summary };
}

/** Every operation of the control. */
export const CONTROL_OPERATIONS: { readonly [Id in ControlOperationId]: ControlOperation<Id> } = {
	listMessages: declare("listMessages", pageQuery, "Messages in both directions, with their tapbacks."),
	listDeliveries: declare(
		"listDeliveries",
		pageQuery,
		"Webhooks, with the receiver's response to each attempt.",
	),
	listRequests: declare(
		"listRequests",
		pageQuery,
		"Requests of the application, with why they were rejected.",
	),
	getRequest: declare("getRequest", byId, "One request, with its headers and bodies."),
	getRequestTest: declare("getRequestTest", byId, "A request as a vitest test."),
	act: declare("act", action, "Does one of the actions."),
	getClock: declare("getClock", empty, "The gateway's time, and how far it is ahead of the machine's."),
	getFaults: declare("getFaults", empty, "The active faults, in words."),
	getCredentials: declare(
		"getCredentials",
		empty,
		"The app id, the App Secret and the webhook secret of an application.",
	),
	getAttachment: declare("getAttachment", byId, "The bytes of an attachment."),
	getSnapshot: declare("getSnapshot", empty, "The state, with the newest of every list."),
	streamChanges: declare("streamChanges", empty, "Server-sent events: a `snapshot`, then every `change`."),
};

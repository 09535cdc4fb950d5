import type {
	ActionDone,
	ClientCredentials,
	ControlProblemCode,
	DeliveryView,
	GatewayTime,
	MessageView,
	Page,
	RequestDetails,
	RequestView,
	Snapshot,
} from "../contract.ts";
import { PAGE_PARAMETERS, type QueryParameter } from "./parse-page-query.ts";

/** A control route: what its server matches, and what describes it. */
export interface ControlRoute {
	/** The name of its operation. */
	readonly id: string;
	readonly method: "GET" | "POST";
	/** A parameter stands in braces; its value is one segment of letters, digits, `_` and `-`. */
	readonly path: `/_local/${string}`;
	/** What it does, in a sentence. */
	readonly summary: string;
	readonly query?: Readonly<Record<string, Pick<QueryParameter<unknown>, "schema" | "isRequired">>>;
	/** The codes of its errors, beside those of every route. */
	readonly errors?: readonly ControlProblemCode[];
}

/** The codes of errors that every route may have. */
export const COMMON_ERRORS = [
	"unauthorized",
	"forbidden",
	"internal",
] as const satisfies ControlProblemCode[];

/** Every control route. */
export const CONTROL_ROUTES = [
	{
		id: "listMessages",
		method: "GET",
		path: "/_local/messages",
		summary: "Messages in both directions, with their tapbacks.",
		query: PAGE_PARAMETERS,
		errors: ["invalid_query"],
	},
	{
		id: "listDeliveries",
		method: "GET",
		path: "/_local/deliveries",
		summary: "Webhooks, with the receiver's response to each attempt.",
		query: PAGE_PARAMETERS,
		errors: ["invalid_query"],
	},
	{
		id: "listRequests",
		method: "GET",
		path: "/_local/requests",
		summary: "Requests of the application, with why they were rejected.",
		query: PAGE_PARAMETERS,
		errors: ["invalid_query"],
	},
	{
		id: "getRequest",
		method: "GET",
		path: "/_local/requests/{id}",
		summary: "One request, with its headers and bodies.",
		errors: ["not_found"],
	},
	{
		id: "getRequestTest",
		method: "GET",
		path: "/_local/requests/{id}/test",
		summary: "A request as a vitest test.",
		errors: ["not_found", "rejected"],
	},
	{
		id: "act",
		method: "POST",
		path: "/_local/actions",
		summary: "Does one of the actions.",
		errors: ["invalid_action", "rejected", "not_found", "too_large"],
	},
	{
		id: "getClock",
		method: "GET",
		path: "/_local/clock",
		summary: "The gateway's time, and how far it is ahead of the machine's.",
	},
	{ id: "getFaults", method: "GET", path: "/_local/faults", summary: "The active faults, in words." },
	{
		id: "getCredentials",
		method: "GET",
		path: "/_local/credentials",
		summary: "The app id and the App Secret of a client.",
	},
	{
		id: "getAttachment",
		method: "GET",
		path: "/_local/attachments/{id}",
		summary: "The bytes of an attachment.",
		errors: ["not_found"],
	},
	{
		id: "getConversationTest",
		method: "GET",
		path: "/_local/test",
		summary: "A conversation as a vitest test.",
		query: {
			conversation: {
				schema: {
					type: "string",
					description: "The conversation's key: a contact's number or a group's id.",
				},
				isRequired: true,
			},
		},
		errors: ["not_found"],
	},
	{
		id: "getSnapshot",
		method: "GET",
		path: "/_local/snapshot",
		summary: "The state, with the newest of every list.",
	},
	{
		id: "streamChanges",
		method: "GET",
		path: "/_local/stream",
		summary: "Server-sent events: a `snapshot`, then every `change`.",
		errors: ["too_many_streams"],
	},
	{
		id: "getOpenApiDocument",
		method: "GET",
		path: "/_local/openapi.json",
		summary: "These routes as OpenAPI 3.1.",
		errors: ["not_found"],
	},
] as const satisfies readonly ControlRoute[];

/** The name of a control route. */
export type ControlRouteId = (typeof CONTROL_ROUTES)[number]["id"];

/** What the routes respond whose responses are values of the contract, as JSON. */
export interface ControlResults {
	listMessages: Page<MessageView>;
	listDeliveries: Page<DeliveryView>;
	listRequests: Page<RequestView>;
	getRequest: RequestDetails;
	act: ActionDone;
	getClock: GatewayTime;
	getFaults: readonly string[];
	getCredentials: ClientCredentials;
	getSnapshot: Snapshot;
}

import type { Action } from "./action.ts";
import type {
	ActionDone,
	DeliveryView,
	GatewayTime,
	MessageView,
	Page,
	PageQuery,
	RequestDetails,
	RequestView,
	SharedSecrets,
	Snapshot,
} from "./contract.ts";

/** The input of an operation that takes none. */
export type Empty = Record<never, never>;

/** The input of an operation on one thing. */
export interface ById {
	/** Its id. */
	id: string;
}

/** What each operation of the control takes and responds: a value as JSON, or a response of another type. */
export interface ControlContract {
	readonly listMessages: { input: PageQuery; data: Page<MessageView> };
	readonly listDeliveries: { input: PageQuery; data: Page<DeliveryView> };
	readonly listRequests: { input: PageQuery; data: Page<RequestView> };
	readonly getRequest: { input: ById; data: RequestDetails };
	readonly getRequestTest: { input: ById; data: Response };
	readonly act: { input: Action; data: ActionDone };
	readonly getClock: { input: Empty; data: GatewayTime };
	readonly getFaults: { input: Empty; data: readonly string[] };
	readonly getCredentials: { input: Empty; data: SharedSecrets };
	readonly getAttachment: { input: ById; data: Response };
	readonly getSnapshot: { input: Empty; data: Snapshot };
	readonly streamChanges: { input: Empty; data: Response };
}

/** The name of an operation of the control. */
export type ControlOperationId = keyof ControlContract;

/** Where each operation is. These lines have no schemas, so that the page's client has none. */
export const CONTROL_ROUTES: {
	readonly [Id in ControlOperationId]: readonly [method: "GET" | "POST", path: `/_local/${string}`];
} = {
	listMessages: ["GET", "/_local/messages"],
	listDeliveries: ["GET", "/_local/deliveries"],
	listRequests: ["GET", "/_local/requests"],
	getRequest: ["GET", "/_local/requests/{id}"],
	getRequestTest: ["GET", "/_local/requests/{id}/test"],
	act: ["POST", "/_local/actions"],
	getClock: ["GET", "/_local/clock"],
	getFaults: ["GET", "/_local/faults"],
	getCredentials: ["GET", "/_local/credentials"],
	getAttachment: ["GET", "/_local/attachments/{id}"],
	getSnapshot: ["GET", "/_local/snapshot"],
	streamChanges: ["GET", "/_local/stream"],
};

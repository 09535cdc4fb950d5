import type { Limits } from "../../library/catalogue/limits.ts";
import type { Profile } from "../../library/catalogue/profile.ts";
import { decodeBase64 } from "../decode-base64.ts";
import type { GatewayCore } from "../local-gateway/create-gateway-core.ts";
import type { KeptAttachment } from "../local-gateway/kept-attachments.ts";
import type { Action } from "./action.ts";
import { ChangeNotes } from "./change-notes.ts";
import { checkInput } from "./check-input.ts";
import type {
	ActionDone,
	Change,
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
import { ControlRejection } from "./control-rejection.ts";
import { createRequestDiagnosis } from "./diagnosis/diagnose-request.ts";
import { FailureCounts } from "./failure-counts.ts";
import { pageOfDeliveries, pageOfMessages, pageOfRequests } from "./lists.ts";
import { perform } from "./perform.ts";
import { findConversation } from "./request-conversation.ts";
import { type LoggedRequest, RequestLog } from "./request-log.ts";
import { toRequestDetails, toRequestView } from "./request-view.ts";
import { action as actionSchema } from "./schemas/actions.ts";
import { ThreadFacts } from "./thread-facts.ts";
import { toSnapshot, toTime } from "./views.ts";
import { writeRequestTest } from "./write-request-test.ts";

/** An attachment with its bytes. */
export interface AttachmentContent extends KeptAttachment {
	readonly bytes: Uint8Array;
}

/** A gateway from outside: its state, its changes, and actions on it. */
export interface GatewayControl {
	/** The current state. */
	snapshot(): Snapshot;
	/**
	 * Calls a listener with every change from now on, when the task that made it is over.
	 * @returns a function that unsubscribes.
	 */
	subscribe(listener: (change: Change) => void): () => void;
	/**
	 * Performs an `Action` on the gateway.
	 * @throws ControlRejection when the action is invalid, or cannot be done.
	 */
	act(action: unknown): Promise<ActionDone["result"]>;
	/** Performs an action that was checked. @throws ControlRejection when it cannot be done. */
	perform(action: Action): Promise<ActionDone["result"]>;
	/** The most that the gateway accepts. */
	readonly limits: Limits;
	/** How the gateway differs from the catalogue. */
	readonly profile: Profile;
	/** The credentials of a client. No snapshot contains them. */
	credentials(): SharedSecrets;
	/** The gateway's time. */
	time(): GatewayTime;
	/** The active faults, in words. */
	faults(): readonly string[];
	/** The messages that a query selects. */
	messages(query: PageQuery): Page<MessageView>;
	/** The deliveries that a query selects. */
	deliveries(query: PageQuery): Page<DeliveryView>;
	/** The requests that a query selects. */
	requests(query: PageQuery): Page<RequestView>;
	/** A request with its headers and bodies. @throws ControlRejection when it is not kept. */
	request(requestId: string): RequestDetails;
	/** A request as a vitest test. @throws ControlRejection when it is not kept, or no client can make it. */
	requestTest(requestId: string): string;
	/** The bytes of an attachment. @throws ControlRejection when they are not kept. */
	attachment(id: string): AttachmentContent;
}

export function createControl(core: GatewayCore): GatewayControl {
	const listeners = new Set<(change: Change) => void>();
	const diagnose = createRequestDiagnosis(core);
	const failures = new FailureCounts();
	const requests = new RequestLog((request) => {
		const conversation = findConversation(core.getWorld(), request);
		const diagnosis = diagnose(request, conversation);
		return toRequestView(request, {
			...(conversation === undefined ? {} : { conversationKey: conversation.key }),
			...(diagnosis === undefined ? {} : { diagnosis }),
		});
	}, failures);
	core.feed.subscribe(requests);
	const threads = new ThreadFacts(core.getWorld(), failures);
	core.feed.subscribe(threads);
	const snapshot = (): Snapshot => toSnapshot(core, threads);
	const notes = new ChangeNotes({ ...core, snapshot, threads, requests }, (change) => {
		for (const listener of listeners) listener(change);
	});
	let stopListening = (): void => {};
	const findRequest = (requestId: string): LoggedRequest => {
		const logged = requests.find(requestId);
		if (logged !== undefined) return logged;
		throw new ControlRejection("not_found", "No request has this id; the oldest are dropped.");
	};
	return {
		snapshot,
		subscribe(listener) {
			if (listeners.size === 0) stopListening = core.feed.subscribe(notes);
			// A listener that subscribes twice is called twice.
			const own = (change: Change): void => listener(change);
			listeners.add(own);
			return () => {
				if (listeners.delete(own) && listeners.size === 0) stopListening();
			};
		},
		act: async (action) =>
			perform(core, await checkInput(actionSchema, action, "invalid_action", core.settings.profile)),
		perform: (action) => perform(core, action),
		limits: core.settings.limits,
		profile: core.settings.profile,
		credentials() {
			const { appId, appSecret, webhookSecret } = core.settings;
			return { appId, appSecret, webhookSecret };
		},
		faults: () => core.faults.describe(),
		time: () => toTime(core.getWorld()),
		messages: (query) => pageOfMessages(core.getWorld(), query),
		deliveries: (query) => pageOfDeliveries(core.getWorld(), query),
		requests: (query) => pageOfRequests(requests.all(), query),
		request(requestId) {
			const { request, view } = findRequest(requestId);
			return toRequestDetails(request, view);
		},
		requestTest: (requestId) => writeRequestTest(findRequest(requestId), core.settings),
		attachment(id) {
			const kept = core.getWorld().attachments.find(id);
			const bytes = kept && decodeBase64(kept.data);
			if (kept !== undefined && bytes !== undefined) return { ...kept, bytes };
			throw new ControlRejection(
				"not_found",
				"The bytes aren't kept: the oldest are dropped when there are too many.",
			);
		},
	};
}

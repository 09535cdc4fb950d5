import { toAgent } from "../local-gateway/agents.ts";
import type { ChangedItem, ChangeListener } from "../local-gateway/change-feed.ts";
import type { GatewayCore } from "../local-gateway/create-gateway-core.ts";
import type { Change, Snapshot } from "./contract.ts";
import type { RequestLog } from "./request-log.ts";
import type { ThreadFacts } from "./thread-facts.ts";
import { toConversationView, toDeliveryView, toMessageView, toTime } from "./views.ts";

/** What the views of changed things are made from. */
export interface ChangeSource extends Pick<GatewayCore, "getWorld" | "faults"> {
	snapshot(): Snapshot;
	readonly threads: ThreadFacts;
	readonly requests: RequestLog;
}

/** A changed item, and how to view it later; the view is `undefined` for a change that is not reported. */
interface Note {
	readonly key: string;
	readonly view: () => Change | undefined;
}

/**
 * Notes the changes of a gateway, and reports them when the current task is over: each item once, in its last
 * state.
 */
export class ChangeNotes implements ChangeListener {
	readonly #source: ChangeSource;
	readonly #report: (change: Change) => void;
	readonly #notes = new Map<string, Note["view"]>();

	constructor(source: ChangeSource, report: (change: Change) => void) {
		this.#source = source;
		this.#report = report;
	}

	changed(item: ChangedItem): void {
		this.#add(this.#noteOf(item));
		if (item.type === "message") this.#noteThreadOf(item.record.conversation.key);
		if (item.type === "delivery") this.#noteThreadOf(item.delivery.conversationKey);
		if (item.type === "request")
			this.#noteThreadOf(this.#source.requests.find(item.request.requestId)?.view.conversationKey);
	}

	dropped(item: ChangedItem): void {
		if (item.type === "conversation") {
			const { key } = item.conversation;
			this.#add({ key: `conversation ${key}`, view: () => ({ type: "conversation_deleted", key }) });
		} else if (item.type === "attachment") {
			const record = this.#source.getWorld().messages.find(item.attachment.messageId);
			if (record !== undefined) this.changed({ type: "message", record });
		} else {
			this.#add({ ...this.#noteOf(item), view: () => undefined });
			if (item.type === "message") this.#noteThreadOf(item.record.conversation.key);
		}
	}

	reset(): void {
		this.#notes.clear();
		this.#add({ key: "reset", view: () => ({ type: "reset", snapshot: this.#source.snapshot() }) });
	}

	/** The view of a conversation has its last message and counts. A deleted conversation is not reported again. */
	#noteThreadOf(key: string | undefined): void {
		const conversation = key === undefined ? undefined : this.#source.getWorld().conversations.findByKey(key);
		if (conversation !== undefined) this.#add(this.#noteOf({ type: "conversation", conversation }));
	}

	#add({ key, view }: Note): void {
		if (this.#notes.size === 0) Promise.resolve().then(() => this.#reportAll());
		this.#notes.set(key, view);
	}

	#reportAll(): void {
		const views = [...this.#notes.values()];
		this.#notes.clear();
		for (const view of views) {
			const change = view();
			if (change !== undefined) this.#report(change);
		}
	}

	#noteOf(item: ChangedItem): Note {
		const { getWorld, faults, threads, requests } = this.#source;
		switch (item.type) {
			case "agent":
				return {
					key: `agent ${item.agent.agentNumber}`,
					view: () => ({ type: "agent", agent: toAgent(item.agent) }),
				};
			case "conversation":
				return {
					key: `conversation ${item.conversation.key}`,
					view: () => ({
						type: "conversation",
						conversation: toConversationView(getWorld(), item.conversation, threads),
					}),
				};
			case "message":
				return {
					key: `message ${item.record.message.messageId}`,
					view: () => ({ type: "message", message: toMessageView(getWorld(), item.record) }),
				};
			case "delivery":
				return {
					key: `delivery ${item.delivery.eventId}`,
					view: () => ({ type: "delivery", delivery: toDeliveryView(item.delivery, getWorld().settings) }),
				};
			case "request":
				return {
					key: `request ${item.request.requestId}`,
					view: () => {
						const logged = requests.find(item.request.requestId);
						return logged && { type: "request", request: logged.view };
					},
				};
			case "destinations":
				return {
					key: item.type,
					view: () => ({ type: "destinations", destinations: { ...getWorld().destinations } }),
				};
			case "faults":
				return { key: item.type, view: () => ({ type: "faults", faults: faults.describe() }) };
			case "rules":
				return { key: item.type, view: () => ({ type: "rules", areOn: getWorld().rules.areOn }) };
			case "clock":
				return { key: item.type, view: () => ({ type: "clock", ...toTime(getWorld()) }) };
			case "attachment":
				return { key: item.type, view: () => undefined };
		}
	}
}

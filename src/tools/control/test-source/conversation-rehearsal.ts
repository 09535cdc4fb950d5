import type { Message } from "../../../library/catalogue/message.ts";
import type { ReceivedAttachment } from "../../../library/catalogue/shared.ts";
import type { ContactActor } from "../../local-gateway/actors.ts";
import type { HistoryEntry, SendFault, SentContent } from "../../local-gateway/history.ts";
import type { Conversation, MessageRecord } from "../../local-gateway/records.ts";
import { ControlRejection } from "../control-rejection.ts";
import { literal, numberLiteral } from "./literals.ts";
import { type Call, Rehearsal, type SetUp } from "./rehearsal.ts";
import { type Exchange, findReplies, type Story, type StoryEvent, timeOf } from "./story.ts";

type FaultedSend = Extract<HistoryEntry, { type: "faulted" }>;
type Tapback = Extract<HistoryEntry, { type: "tapback" }>;

/** A send to make again. */
interface Send extends SentContent {
	/** Where it is sent, if not in the conversation of the story. */
	readonly conversation?: Conversation | undefined;
	readonly effect?: string | undefined;
	readonly replyToGuid?: string | undefined;
	readonly statusCallback?: string | undefined;
}

/** Where the rehearsal has a message: its id, and the expression for it in the test. */
type Place = () => readonly [messageGuid: string | null | undefined, source: string];

const BY_ITSELF = "// The application does this by itself:";
const SETTLED = "await local.settled();";

/**
 * Plays a story to a new gateway, and writes it as a test of the application: the contacts act, and the application is
 * expected to reply as before. What it did without an event of a contact, the test does.
 */
export class ConversationRehearsal extends Rehearsal {
	readonly #conversation: Conversation;
	readonly #namesAgents: boolean;
	readonly #lines: string[] = [];
	/** By both ids of the recorded message. */
	readonly #places = new Map<string, Place>();
	/** Expressions for the ids that calls have named. */
	readonly #names = new Map<string, string>();
	/** Expressions for the application's replies, with what is expected before a line that has one. */
	readonly #conditions = new Map<string, string>();
	readonly #fillings = new Map<string, number>();
	/** What magic numbers did, the oldest first. */
	readonly #automatic: Exchange[] = [];
	/** What a contact does, until its webhook arrives. */
	#current: Exchange | undefined;
	#hasWebhooks = false;
	#receivedCount = 0;
	#groupId = "";
	/** How far the story's clock is ahead of the rehearsal's. */
	#aheadMs: number | undefined;
	#movedMs = 0;
	#isByItself = false;
	/** A fault that was carried out belongs to the next send. */
	#fault: FaultedSend | undefined;
	#misfit: StoryEvent | undefined;

	constructor(conversation: Conversation, setUp: SetUp) {
		super(setUp, (webhook) => this.#receive(webhook));
		this.#conversation = conversation;
		this.#namesAgents = setUp.agents.length > 1;
	}

	/** @returns the first send that has another result than before. What a test cannot repeat is left out. */
	async play(story: Story): Promise<StoryEvent | undefined> {
		const exchanges = findReplies(story, this.#conversation);
		this.#automatic.push(...exchanges.filter(isAutomatic));
		for (const exchange of exchanges.filter((one) => !isAutomatic(one))) {
			await this.#moveTo(timeOf(exchange.event));
			await this.#repeat(exchange);
			if (this.#misfit !== undefined) return this.#misfit;
		}
		await this.local.settled();
		return this.#misfit;
	}

	/** The test. @throws ControlRejection if nothing happened. */
	write(): string {
		if (this.#lines.length === 0)
			throw new ControlRejection(
				"rejected",
				"Nothing was written in this conversation yet: send something first.",
			);
		const { groupId, key, contacts } = this.#conversation;
		const [title, isHere] =
			groupId === null
				? [`the conversation with ${key}`, `({ groupId, to }) => groupId === null && to === ${literal(key)}`]
				: [`the group of ${contacts.join(", ")}`, "({ groupId }) => groupId !== null"];
		const lines = this.#lines.filter((line) => this.#hasWebhooks || line !== BY_ITSELF);
		const body = [...lines, "", ...this.#expectations()];
		const uses = (name: string): boolean => body.some((line) => line.includes(name));
		const start = [
			...(uses(" contact.") ? [`const contact = local.contact(${literal(key)});`] : []),
			`const sent = () => local.sent.filter(${isHere});`,
			...(uses("received()") ? [RECEIVED] : []),
		];
		return this.writeFile("A conversation of", title, [...start, "", ...body], this.#hasWebhooks);
	}

	/** Replies as the application did. */
	async #receive(webhook: Request): Promise<Response> {
		const { type, messageGuid } = await webhook.json();
		const source = `received()[${this.#receivedCount}].messageGuid`;
		if (type === "inbound_message") this.#receivedCount++;
		const exchange = this.#current ?? (type === undefined ? undefined : this.#automatic.shift());
		this.#current = undefined;
		this.#hasWebhooks ||= type !== undefined || exchange !== undefined;
		if (exchange !== undefined && "message" in exchange.event)
			this.#setPlace(exchange.event, () => [messageGuid, source]);
		for (const event of exchange?.replies ?? []) await this.#reply(event);
		return new Response();
	}

	/** A rejected send is left out, as is one that was struck by a fault that is not injected. */
	async #reply(event: StoryEvent): Promise<void> {
		if ("message" in event) {
			const source = `sent()[${this.#sent().length}]`;
			await this.#send(event, this.#toSend(event));
			this.#conditions.set(source, `expect(${source}).toMatchObject(${literal(describe(event.message))});`);
		} else if (event.type === "tapback") await this.perform(this.#toTapback(event));
		else if (event.type === "faulted" && !isProcessed(event.fault) && this.faults.describe().length > 0)
			await this.#send(event, event.content, false);
	}

	async #repeat(exchange: Exchange): Promise<void> {
		const { event } = exchange;
		const { key } = this.#conversation;
		const { mappings } = this.gateway;
		if ("message" in event) {
			if (!event.message.outbound) return this.#act(exchange, this.#toReply(event));
			await this.#sendByItself(event, this.#toSend(event));
			return this.#nameGroup();
		}
		switch (event.type) {
			case "faulted":
				this.#fault = event;
				return isProcessed(event.fault) ? undefined : this.#sendByItself(event, event.content, false);
			case "rejected":
				return this.#sendByItself(event, event.content, false);
			case "read": {
				const [contact, name] = this.#contact(key);
				return this.#act(exchange, this.#call(`${name}.read`, contact.read));
			}
			case "reaction": {
				const [contact, name] = this.#contact(event.by);
				const options = { messageGuid: this.#guidOf(event.messageId) };
				return this.#act(exchange, this.#call(`${name}.react`, contact.react, event.reaction, options));
			}
			case "tapback":
				return this.#doByItself(this.#toTapback(event));
			case "mapping_reset":
				return this.#doByItself(this.#call("gateway.mappings.reset", (to) => mappings.reset(to), key));
			case "mapping_limit": {
				const changes = { maxConsecutiveMessages: event.after };
				const update = (to: string, given: typeof changes) => mappings.update(to, given);
				return this.#doByItself(this.#call("gateway.mappings.update", update, key, changes));
			}
			case "mapping_deleted":
				return this.#doByItself(this.#call("gateway.mappings.delete", (to) => mappings.delete(to), key));
		}
	}

	/** Acts as a contact, with the faults that strike the first replies, until the application has replied. */
	async #act(exchange: Exchange, call: Call): Promise<void> {
		const faults = firstFaults(exchange).map(({ fault }) => this.#inject(fault));
		this.#current = exchange;
		const { line, error } = await this.perform(call);
		if (error === undefined) {
			await this.local.settled();
			const end = faults.length === 0 ? [SETTLED] : [SETTLED, "local.faults.clear();"];
			this.#add([...faults, line, ...end], false);
		}
		this.faults.clear();
		if (this.#current === undefined) return;
		// No webhook arrived: what it needs was dropped, came before the story, or was read already.
		this.#current = undefined;
		for (const event of exchange.replies) await this.#repeat({ event, replies: [] });
	}

	/** Makes a call, and leaves it out if it fails: what it needs was dropped, or came before the story. */
	async #doByItself(call: Call): Promise<void> {
		const { line, error } = await this.perform(call);
		if (error === undefined) this.#add([line]);
	}

	async #sendByItself(event: StoryEvent, send: Send, isAccepted = true): Promise<void> {
		const fault = this.#fault;
		this.#fault = undefined;
		const faults = fault?.content.signature === send.signature ? [this.#inject(fault.fault)] : [];
		this.#add([...faults, await this.#send(event, send, isAccepted)]);
	}

	#add(lines: readonly string[], isByItself = true): void {
		if (this.#movedMs > 0) this.#lines.push(`await local.clock.advance(${numberLiteral(this.#movedMs)});`);
		this.#movedMs = 0;
		for (const [source, condition] of this.#conditions) {
			if (!lines.some((line) => line.includes(source))) continue;
			this.#lines.push(condition);
			this.#conditions.delete(source);
		}
		if (isByItself && !this.#isByItself) this.#lines.push(BY_ITSELF);
		this.#isByItself = isByItself;
		this.#lines.push(...lines);
	}

	/** The clock of a test is frozen, so each step moves it, unless the steps before have. */
	async #moveTo(at: number): Promise<void> {
		const now = this.local.clock.now();
		this.#aheadMs ??= at - now;
		const ms = Math.max(0, at - this.#aheadMs - now);
		this.#movedMs += ms;
		if (ms > 0) await this.local.clock.advance(ms);
	}

	/** Makes a send; whether it is accepted is to be as before. A fault may lose the response. @returns the line. */
	async #send(event: StoryEvent, send: Send, isAccepted = true): Promise<string> {
		const { length } = this.local.sent;
		const { line } = await this.perform(this.#toCall(send));
		if (this.local.sent.length > length !== isAccepted) this.#misfit ??= event;
		return line;
	}

	#nameGroup(): void {
		if (this.#conversation.groupId === null || this.#groupId !== "") return;
		this.#groupId = this.#sent()[0]?.groupId ?? "";
		this.#names.set(this.#groupId, "groupId");
		this.#lines.push('const groupId = sent()[0]?.groupId ?? "";');
	}

	/** What was sent in the conversation; others may have been sent to block it. */
	#sent(): Message[] {
		const { groupId: id, key } = this.#conversation;
		return this.local.sent.filter(({ groupId, to }) =>
			id === null ? groupId === null && to === key : groupId !== null,
		);
	}

	#setPlace({ message: { messageId, messageGuid } }: MessageRecord, place: Place): void {
		this.#places.set(messageId, place);
		if (messageGuid !== null) this.#places.set(messageGuid, place);
	}

	/** The `messageGuid` of a recorded message in this rehearsal; another one stays as it is. */
	#guidOf(recordedId: string): string {
		const [messageGuid, source] = this.#places.get(recordedId)?.() ?? [];
		if (!messageGuid || source === undefined) return recordedId;
		this.#names.set(messageGuid, source);
		return messageGuid;
	}

	#call<Args extends unknown[]>(
		name: string,
		run: (...args: Args) => PromiseLike<unknown>,
		...args: Args
	): Call {
		const sources = args.map((arg) => literal(arg, this.#names)).filter((arg) => arg !== "{}");
		return { source: `${name}(${sources.join(", ")})`, run: () => run(...args) };
	}

	#contact(number: string): readonly [contact: ContactActor, name: string] {
		const isOwn = number === this.#conversation.key;
		return [this.local.contact(number), isOwn ? "contact" : `local.contact(${literal(number)})`];
	}

	#toReply({ message, conversation }: MessageRecord): Call {
		const [contact, name] = this.#contact(message.from);
		return this.#call(`${name}.reply`, contact.reply, message.text, {
			groupId: conversation.groupId === null ? undefined : this.#groupId,
			to: this.#namesAgents ? message.to : undefined,
			attachments: message.attachments.length === 0 ? undefined : message.attachments,
		});
	}

	#toTapback({ action, messageId, reaction, partIndex }: Tapback): Call {
		const { messages } = this.gateway;
		const method = `${action}Tapback` as const;
		const input = { messageGuid: this.#guidOf(messageId), reaction, partIndex };
		return this.#call(`gateway.messages.${method}`, (given) => messages[method](given), input);
	}

	#toSend(record: MessageRecord): Send {
		const { conversation, message, kind, signature = "", effect, replyToGuid } = record;
		const { text, attachments, from, status_callback } = message;
		const at = this.#sent().length;
		if (conversation.key === this.#conversation.key)
			this.#setPlace(record, () => [this.#sent()[at]?.messageGuid, `sent()[${at}]?.messageGuid ?? ""`]);
		return {
			...{ conversation, agentNumber: from, kind, text, attachments, signature, effect },
			replyToGuid: replyToGuid && this.#guidOf(replyToGuid),
			statusCallback: status_callback ?? undefined,
		};
	}

	/** Adds a fault. @returns the line that adds it in a test. */
	#inject(fault: SendFault): string {
		const { kind, ...options } = fault;
		this.faults.add(fault, {});
		return `local.faults.${FAULT_METHODS[kind]}(${literal(options)});`;
	}

	#toCall(send: Send): Call {
		const { agentNumber, kind, text, effect, replyToGuid, statusCallback } = send;
		const { groupId, contacts, key } = send.conversation ?? this.#conversation;
		const { messages } = this.gateway;
		const target = groupId === null ? { to: key } : { participants: contacts };
		const fields = { ...target, from: this.#namesAgents ? agentNumber : undefined };
		const options = { effect, replyToGuid, statusCallback };
		if (kind === "text") {
			const input = { ...fields, text, ...options };
			return this.#call("gateway.messages.sendText", (given) => messages.sendText(given), input);
		}
		const attachments = send.attachments.map((item, at) => this.#attachment(item, `${send.signature} ${at}`));
		const [attachment] = attachments;
		if (kind === "voice" && attachment !== undefined) {
			const input = { ...fields, attachment, ...options };
			return this.#call("gateway.messages.sendVoiceNote", (given) => messages.sendVoiceNote(given), input);
		}
		const input = { ...fields, text: text === "" ? undefined : text, attachments, ...options };
		return this.#call("gateway.messages.sendAttachments", (given) => messages.sendAttachments(given), input);
	}

	/** Bytes are replaced in a test: equal attachments stay equal, different ones stay different. */
	#attachment({ url, name, mimeType }: ReceivedAttachment, content: string) {
		const fields = { name: String(name), mimeType: typeof mimeType === "string" ? mimeType : undefined };
		if (typeof url === "string")
			return { url, ...fields, name: name === undefined ? undefined : fields.name };
		const filling = this.#fillings.get(content) ?? this.#fillings.size + 1;
		this.#fillings.set(content, filling);
		return { data: new Uint8Array(Math.ceil(filling / 255) * 16).fill(filling % 256), ...fields };
	}

	/** All webhooks acknowledged, and all that was sent; the tapbacks of an application, too. */
	#expectations(): string[] {
		const sent = expectList("sent()", this.#sent().map(describe));
		if (!this.#hasWebhooks) return sent;
		const tapbacks = this.local.requests.filter(
			({ operationId, status }) => operationId === "messages.tapback" && status === 200,
		);
		const bodies = tapbacks.map(({ body }) => JSON.parse(body));
		return [
			...(this.#lines.at(-1) === SETTLED ? [] : [SETTLED]),
			'expect(local.deliveries.filter(({ state }) => state !== "delivered")).toEqual([]);',
			...sent,
			...(bodies.length === 0 ? [] : [TAPBACKS, ...expectList("tapbacks", bodies, this.#names)]),
		];
	}
}

const FAULT_METHODS = { respond: "respond", drop: "dropConnection", corrupt: "corrupt" } as const;

const RECEIVED = `const received = () =>
		local.deliveries.flatMap(({ kind, body }) => (kind === "inbound_message" ? JSON.parse(body) : []));`;

const TAPBACKS = `const tapbacks = local.requests
		.filter(({ operationId, status }) => operationId === "messages.tapback" && status === 200)
		.map(({ body }) => JSON.parse(body));`;

function isAutomatic({ event }: Exchange): boolean {
	return "isAutomatic" in event && event.isAutomatic === true;
}

/** Whether the gateway carries out a send in spite of the fault. */
function isProcessed(fault: SendFault): boolean {
	return fault.kind === "corrupt" || (fault.kind === "drop" && fault.when === "after");
}

/** The faults before the first message: later ones would strike the wrong send. */
function firstFaults({ replies }: Exchange): FaultedSend[] {
	const sentAt = replies.findIndex((event) => "message" in event);
	const first = sentAt === -1 ? replies : replies.slice(0, sentAt);
	return first.flatMap((event) => ("message" in event || event.type !== "faulted" ? [] : event));
}

/** What is expected of a message. */
function describe({ text, attachments }: Message): object {
	const files = attachments.map(({ name, url }) => (name === undefined ? { url } : { name }));
	return { text, attachments: files.length === 0 ? undefined : files };
}

function expectList(source: string, items: readonly unknown[], names?: ReadonlyMap<string, string>) {
	if (items.length === 0) return [`expect(${source}).toEqual([]);`];
	return [`expect(${source}).toMatchObject([`, ...items.map((item) => `\t${literal(item, names)},`), "]);"];
}

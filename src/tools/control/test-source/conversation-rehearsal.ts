import type { ReceivedAttachment } from "../../../library/catalogue/shared.ts";
import type { ContactActor } from "../../local-gateway/actors.ts";
import type { HistoryEntry, SendFault, SentContent } from "../../local-gateway/history.ts";
import { REPLY_TEXT } from "../../local-gateway/journey.ts";
import type { Conversation, MessageRecord } from "../../local-gateway/records.ts";
import type { World } from "../../local-gateway/world.ts";
import { literal, numberLiteral } from "./literals.ts";
import { type Call, Rehearsal, type SetUp } from "./rehearsal.ts";
import type { Story } from "./story.ts";

type FaultedSend = Extract<HistoryEntry, { type: "faulted" }>;

/** A send to make again. */
interface Send extends SentContent {
	readonly conversation: Conversation;
	readonly effect?: string | undefined;
	readonly replyToGuid?: string | undefined;
	readonly statusCallback?: string | undefined;
}

/** Where the rehearsal has a message: the `messageGuid`, and the expression for it in the test. */
type Place = () => readonly [messageGuid: string, source: string];

const EVENTS_OF = [
	"const eventsOf = (kind: string) => {",
	"\tconst deliveries = local.deliveries.filter((delivery) => delivery.kind === kind);",
	"\treturn deliveries.map(({ body }) => JSON.parse(body));",
	"};",
];

/** Plays a story to a new gateway, and writes each step and each result as a test. */
export class ConversationRehearsal extends Rehearsal {
	readonly #world: World;
	readonly #conversation: Conversation;
	readonly #namesAgents: boolean;
	readonly #lines: string[] = [];
	/** By both ids of the recorded message. */
	readonly #places = new Map<string, Place>();
	/** Expressions for the ids that calls have named. */
	readonly #names = new Map<string, string>();
	readonly #fillings = new Map<string, number>();
	readonly #offline = new Set<string>();
	#groupId = "";
	#now: number | undefined;
	#movedMs = 0;
	#automaticCount = 0;
	/** A fault that was carried out belongs to the next send. */
	#fault: FaultedSend | undefined;

	constructor(world: World, conversation: Conversation, setUp: SetUp) {
		super(setUp);
		this.#world = world;
		this.#conversation = conversation;
		this.#namesAgents = setUp.agents.length > 1;
	}

	/** @returns the first send that has another result than before. What a test cannot repeat is left out. */
	async play(story: Story): Promise<Story[number] | undefined> {
		for (const event of story) if (!(await this.#repeat(event))) return event;
		return undefined;
	}

	/** The test; `undefined` if nothing happened. */
	async write(): Promise<string | undefined> {
		if (this.#lines.length === 0) return undefined;
		const { groupId, key, contacts } = this.#conversation;
		const body = [...this.#lines, "", ...(await this.#expectations())];
		const uses = (name: string): boolean => body.some((line) => line.includes(name));
		return this.writeFile(
			"A conversation of",
			groupId === null ? `the conversation with ${key}` : `the group of ${contacts.join(", ")}`,
			[
				...(uses(" contact.") ? [`const contact = local.contact(${literal(key)});`] : []),
				...(uses("eventsOf(") ? EVENTS_OF : []),
				"",
				...body,
			],
		);
	}

	/** @returns whether a send has the same result as before. */
	async #repeat(event: Story[number]): Promise<boolean> {
		if ("message" in event && event.isAutomatic) {
			this.#meetAutomatic(event);
			return true;
		}
		await this.#moveTo(Math.round("message" in event ? event.message.timestamp_ms : event.at));
		if ("message" in event) return event.message.outbound ? this.#sendAgain(event) : this.#reply(event);
		const { key } = this.#conversation;
		const { mappings, messages } = this.gateway;
		switch (event.type) {
			case "rejected":
				return !(await this.#send({ ...event.content, conversation: this.#conversation }));
			case "faulted": {
				this.#fault = event;
				const { fault, content } = event;
				if (fault.kind === "corrupt" || (fault.kind === "drop" && fault.when === "after")) return true;
				return !(await this.#send({ ...content, conversation: this.#conversation }));
			}
			case "read": {
				const { contact, name } = this.#contact(key);
				return this.#try(`${name}.read`, contact.read);
			}
			case "reaction": {
				const { contact, name } = this.#contact(event.by);
				const options = { messageGuid: this.#guidOf(event.messageId) };
				return this.#try(`${name}.react`, contact.react, event.reaction, options);
			}
			case "tapback": {
				const method = `${event.action}Tapback` as const;
				const { reaction, partIndex } = event;
				const input = { messageGuid: this.#guidOf(event.messageId), reaction, partIndex };
				return this.#try(`gateway.messages.${method}`, (given) => messages[method](given), input);
			}
			case "mapping_reset":
				return this.#try("gateway.mappings.reset", (to) => mappings.reset(to), key);
			case "mapping_limit": {
				const changes = { maxConsecutiveMessages: event.after };
				return this.#try("gateway.mappings.update", (to, given) => mappings.update(to, given), key, changes);
			}
			case "mapping_deleted":
				return this.#try("gateway.mappings.delete", (to) => mappings.delete(to), key);
		}
	}

	/** The clock of a test is frozen, so each step moves it. */
	async #moveTo(at: number): Promise<void> {
		const ms = Math.max(0, at - (this.#now ?? at));
		this.#now = (this.#now ?? at) + ms;
		this.#movedMs += ms;
		if (ms > 0) await this.local.clock.advance(ms);
	}

	#add(...lines: string[]): void {
		if (this.#movedMs > 0) this.#lines.push(`await local.clock.advance(${numberLiteral(this.#movedMs)});`);
		this.#movedMs = 0;
		this.#lines.push(...lines);
	}

	#call<Args extends unknown[]>(
		name: string,
		run: (...args: Args) => PromiseLike<unknown>,
		...args: Args
	): Call {
		const sources = args.map((arg) => literal(arg, this.#names)).filter((arg) => arg !== "{}");
		return { source: `${name}(${sources.join(", ")})`, run: () => run(...args) };
	}

	/** Makes a call, and leaves it out if it fails: what it needs was dropped, or came before the story. */
	async #try<Args extends unknown[]>(
		name: string,
		run: (...args: Args) => PromiseLike<unknown>,
		...args: Args
	): Promise<true> {
		const { line, error } = await this.perform(this.#call(name, run, ...args));
		if (error === undefined) this.#add(line);
		return true;
	}

	#contact(number: string): { readonly contact: ContactActor; readonly name: string } {
		const isOwn = number === this.#conversation.key;
		return {
			contact: this.local.contact(number),
			name: isOwn ? "contact" : `local.contact(${literal(number)})`,
		};
	}

	async #reply(record: MessageRecord): Promise<true> {
		const { message, conversation } = record;
		const { contact, name } = this.#contact(message.from);
		const reply = async (...args: Parameters<ContactActor["reply"]>) => {
			const { messageGuid } = await contact.reply(...args);
			this.#setEventPlace(record, (events) =>
				events.findIndex((event) => event["messageGuid"] === messageGuid),
			);
		};
		return this.#try(`${name}.reply`, reply, message.text, {
			groupId: conversation.groupId === null ? undefined : this.#groupId,
			to: this.#namesAgents ? message.to : undefined,
			attachments: message.attachments.length === 0 ? undefined : message.attachments,
		});
	}

	#meetAutomatic(record: MessageRecord): void {
		const count = this.#automaticCount++;
		this.#setEventPlace(record, (events) => {
			return events.flatMap(({ text }, at) => (text === REPLY_TEXT ? [at] : []))[count] ?? -1;
		});
	}

	#setEventPlace(record: MessageRecord, find: (events: readonly Record<string, unknown>[]) => number): void {
		this.#setPlace(record, () => {
			const events = this.#eventsOf("inbound_message");
			const at = find(events);
			return [String(events[at]?.["messageGuid"] ?? ""), `eventsOf("inbound_message")[${at}].messageGuid`];
		});
	}

	#setPlace({ message: { messageId, messageGuid } }: MessageRecord, place: Place): void {
		this.#places.set(messageId, place);
		if (messageGuid !== null) this.#places.set(messageGuid, place);
	}

	/** The `messageGuid` of a recorded message in this rehearsal; another one stays as it is. */
	#guidOf(recordedId: string): string {
		const place = this.#places.get(recordedId);
		if (place === undefined) return recordedId;
		const [messageGuid, source] = place();
		if (messageGuid === "") return recordedId;
		this.#names.set(messageGuid, source);
		return messageGuid;
	}

	async #sendAgain(record: MessageRecord): Promise<boolean> {
		const { conversation, message, kind, signature = "", effect, replyToGuid } = record;
		const { text, attachments, from, status_callback } = message;
		const { agents } = this.#world;
		const isWaiting = message.status === "queued" && agents.find(from)?.isOnline === false;
		if (isWaiting && !this.#offline.has(from)) {
			this.#offline.add(from);
			this.local.agent(from).goOffline();
			this.#add(`local.agent(${literal(from)}).goOffline();`);
		}
		const at = this.local.sent.length;
		const isAccepted = await this.#send({
			...{ conversation, agentNumber: from, kind, text, attachments, signature, effect },
			replyToGuid: replyToGuid && this.#guidOf(replyToGuid),
			statusCallback: status_callback ?? undefined,
		});
		this.#setPlace(record, () => [
			this.local.sent[at]?.messageGuid ?? "",
			`local.sent[${at}]?.messageGuid ?? ""`,
		]);
		if (isAccepted && conversation.key === this.#conversation.groupId && this.#groupId === "") {
			this.#groupId = this.local.sent[at]?.groupId ?? "";
			this.#names.set(this.#groupId, "groupId");
			this.#add('const groupId = local.sent.at(-1)?.groupId ?? "";');
		}
		return isAccepted;
	}

	/** @returns whether the gateway accepted it; a fault may lose the response. */
	async #send(send: Send): Promise<boolean> {
		if (this.#fault?.content.signature === send.signature) this.#add(this.#inject(this.#fault.fault));
		this.#fault = undefined;
		const { length } = this.local.sent;
		const { line } = await this.perform(this.#toCall(send));
		this.#add(line);
		return this.local.sent.length > length;
	}

	/** Adds a fault. @returns the line that adds it in a test. */
	#inject(fault: SendFault): string {
		const { faults } = this.local;
		if (fault.kind === "respond") {
			const { kind: _, ...response } = fault;
			faults.respond(response);
			return `local.faults.respond(${literal(response)});`;
		}
		if (fault.kind === "drop") {
			faults.dropConnection({ when: fault.when });
			return `local.faults.dropConnection(${literal({ when: fault.when })});`;
		}
		faults.corrupt({ as: fault.as });
		return `local.faults.corrupt(${literal({ as: fault.as })});`;
	}

	#toCall(send: Send): Call {
		const { conversation, agentNumber, kind, text, effect, replyToGuid, statusCallback } = send;
		const { groupId, contacts, key } = conversation;
		const { messages } = this.gateway;
		const target = groupId === null ? { to: key } : { participants: contacts };
		// An offline agent is not chosen for a new contact, so it is named.
		const isNamed = this.#namesAgents || this.#offline.has(agentNumber ?? "");
		const fields = { ...target, from: isNamed ? agentNumber : undefined };
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

	#eventsOf(kind: string): Record<string, unknown>[] {
		const deliveries = this.local.deliveries.filter((delivery) => delivery.kind === kind);
		return deliveries.map(({ body }) => JSON.parse(body));
	}

	/** The messages with their last statuses, and the events of contacts. */
	async #expectations(): Promise<string[]> {
		await this.local.settled();
		const sent = this.local.sent.map(({ to, text, attachments, status }) => ({
			...{ to, text },
			attachments:
				attachments.length === 0
					? undefined
					: attachments.map(({ name, url }) => (name === undefined ? { url } : { name })),
			status,
		}));
		return [
			"await local.settled();",
			...expectList("local.sent", "toMatchObject", sent),
			...this.#expectEvents("inbound_message", "text"),
			...this.#expectEvents("inbound_reaction", "reaction"),
		];
	}

	#expectEvents(kind: string, field: string): string[] {
		const values = this.#eventsOf(kind).map((event) => event[field]);
		if (values.length === 0) return [];
		return expectList(`eventsOf("${kind}").map(({ ${field} }) => ${field})`, "toEqual", values);
	}
}

function expectList(source: string, matcher: string, items: readonly unknown[]): string[] {
	if (items.length === 0) return [`expect(${source}).toEqual([]);`];
	return [`expect(${source}).${matcher}([`, ...items.map((item) => `\t${literal(item)},`), "]);"];
}

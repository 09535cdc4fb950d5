import type { SentContent, StruckBy } from "../../local-gateway/history.ts";
import { REPLY_TEXT } from "../../local-gateway/journey.ts";
import type { Conversation, MessageRecord } from "../../local-gateway/records.ts";
import type { World } from "../../local-gateway/world.ts";
import { isWaiting } from "./expected.ts";
import { literal, numberLiteral, objectLiteral } from "./literals.ts";
import type { StoryEvent } from "./story.ts";
import { SendWriter } from "./write-send.ts";

type EventOf<Type extends StoryEvent["type"]> = Extract<StoryEvent, { type: Type }>;

/** Writes the steps that reproduce a conversation. */
export class StepsWriter {
	readonly lines: string[] = [];
	readonly #world: World;
	readonly #conversation: Conversation;
	readonly #namesAgents: boolean;
	readonly #sends = new SendWriter();
	/** An expression for the `messageGuid` of each message so far, by both of its ids. */
	readonly #references = new Map<string, string>();
	readonly #offline = new Set<string>();
	#now: number | undefined;
	#sentCount = 0;
	#replyCount = 0;
	#automaticCount = 0;
	#hasGroup = false;

	/** @param namesAgents whether there are several agents, and each step must name its own. */
	constructor(world: World, conversation: Conversation, namesAgents: boolean) {
		this.#world = world;
		this.#conversation = conversation;
		this.#namesAgents = namesAgents;
	}

	write(event: StoryEvent): void {
		if (event.type === "wrote" && event.record.isAutomatic) this.#meetAutomatic(event.record);
		else this.lines.push(...this.#moveTo(Math.round(event.at)), ...this.#linesOf(event));
	}

	#linesOf(event: StoryEvent): string[] {
		const mapping = literal(this.#conversation.key);
		switch (event.type) {
			case "sent":
				return this.#send(event);
			case "rejected": {
				const call = this.#writeContent(event.content);
				if (event.lostBy?.kind === "drop") return strike(call, event.lostBy);
				return [expectRejection(call, objectLiteral([["gatewayCode", literal(event.code)]]))];
			}
			case "unreached":
				return strike(this.#writeContent(event.content), event.fault);
			case "wrote":
				return [this.#reply(event.record)];
			case "read":
				return ["await contact.read();"];
			case "reaction": {
				const options = objectLiteral([["messageGuid", this.#references.get(event.messageId)]]);
				return [`await ${this.#contact(event.by)}.react(${literal(event.reaction)}, ${options});`];
			}
			case "tapback":
				return [this.#tapback(event)];
			case "mapping_reset":
				return [`await gateway.mappings.reset(${mapping});`];
			case "mapping_limit": {
				const changes = objectLiteral([["maxConsecutiveMessages", literal(event.after)]]);
				return [`await gateway.mappings.update(${mapping}, ${changes});`];
			}
			case "mapping_deleted":
				return [`await gateway.mappings.delete(${mapping});`];
		}
	}

	/** The clock of a test is frozen, so each step moves it. */
	#moveTo(at: number): string[] {
		const ms = at - (this.#now ?? at);
		this.#now = Math.max(at, this.#now ?? at);
		return ms > 0 ? [`await local.clock.advance(${numberLiteral(ms)});`] : [];
	}

	#send({ record, lostBy }: EventOf<"sent">): string[] {
		const { conversation, message, kind, signature = "", effect, replyToGuid } = record;
		const { text, attachments, status_callback } = message;
		const offline = isWaiting(this.#world, record) ? this.#takeOffline(message.from) : [];
		const call = this.#sends.write({
			conversation,
			from: this.#agent(message.from),
			...{ kind, text, attachments, signature, effect },
			replyToGuid: replyToGuid && (this.#references.get(replyToGuid) ?? literal(replyToGuid)),
			statusCallback: status_callback ?? undefined,
		});
		this.#refer(record, `local.sent[${this.#sentCount++}]?.messageGuid ?? ""`);
		const lines = [...offline, ...(lostBy === undefined ? [`await ${call};`] : strike(call, lostBy))];
		if (conversation.key !== this.#conversation.groupId || this.#hasGroup) return lines;
		this.#hasGroup = true;
		return [...lines, 'const groupId = local.sent.at(-1)?.groupId ?? "";'];
	}

	#writeContent({ agentNumber, ...content }: SentContent): string {
		const from = agentNumber === undefined ? undefined : this.#agent(agentNumber);
		return this.#sends.write({ ...content, conversation: this.#conversation, from });
	}

	#reply(record: MessageRecord): string {
		const { message, conversation } = record;
		const options = objectLiteral([
			["groupId", conversation.groupId === null ? undefined : "groupId"],
			["to", this.#namesAgents ? literal(message.to) : undefined],
			["attachments", message.attachments.length === 0 ? undefined : literal(message.attachments)],
		]);
		const name = `reply${++this.#replyCount}`;
		this.#refer(record, `${name}.messageGuid ?? ""`);
		const args = options === "{}" ? literal(message.text) : `${literal(message.text)}, ${options}`;
		return `const ${name} = await ${this.#contact(message.from)}.reply(${args});`;
	}

	#meetAutomatic(record: MessageRecord): void {
		const own = `({ text }) => text === ${literal(REPLY_TEXT)}`;
		this.#refer(record, `eventsOf("inbound_message").filter(${own})[${this.#automaticCount++}].messageGuid`);
	}

	#tapback({ action, reaction, messageId, partIndex }: EventOf<"tapback">): string {
		const input = objectLiteral([
			["messageGuid", this.#references.get(messageId)],
			["reaction", literal(reaction)],
			["partIndex", partIndex === undefined ? undefined : literal(partIndex)],
		]);
		return `await gateway.messages.${action}Tapback(${input});`;
	}

	#refer({ message }: MessageRecord, expression: string): void {
		this.#references.set(message.messageId, expression);
		if (message.messageGuid !== null) this.#references.set(message.messageGuid, expression);
	}

	#takeOffline(agentNumber: string): string[] {
		if (this.#offline.has(agentNumber)) return [];
		this.#offline.add(agentNumber);
		return [`local.agent(${literal(agentNumber)}).goOffline();`];
	}

	/** An offline agent is not chosen for a new contact, so it is named. */
	#agent(agentNumber: string): string | undefined {
		return this.#namesAgents || this.#offline.has(agentNumber) ? agentNumber : undefined;
	}

	#contact(number: string): string {
		return number === this.#conversation.key ? "contact" : `local.contact(${literal(number)})`;
	}
}

function expectRejection(call: string, error: string): string {
	return `await expect(${call}).rejects.toMatchObject(${error});`;
}

/** A call that a fault affects. */
function strike(call: string, fault: StruckBy): string[] {
	const { kind, ...options } = fault;
	const error = fault.kind === "respond" ? { status: fault.status } : { outcome: "unknown" };
	return [`local.faults.${FAULT_METHODS[kind]}(${literal(options)});`, expectRejection(call, literal(error))];
}

const FAULT_METHODS = { respond: "respond", drop: "dropConnection", corrupt: "corrupt" } as const;

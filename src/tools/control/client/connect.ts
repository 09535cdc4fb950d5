import type { Message } from "../../../library/catalogue/message.ts";
import { assertFunction, assertKnownKeys } from "../../../library/check-options.ts";
import { ConfigurationError } from "../../../library/errors.ts";
import { readEnvironment } from "../../../library/host.ts";
import type { LocalClientOptions } from "../../local-gateway/local-gateway.ts";
import { toolFetch } from "../../tool-fetch.ts";
import type { Action, AttachedFile, DestinationsAction, ReactAction, ReplyAction } from "../action.ts";
import {
	CONTROL_VERSION,
	type DeliveryView,
	type MessageView,
	type Page,
	type PageQuery,
	type RequestDetails,
	type RequestView,
} from "../contract.ts";
import { ControlClient, type Fetch } from "./control-client.ts";
import { LocalControlError } from "./control-error.ts";
import { createRemoteFaults, type RemoteFaults } from "./remote-faults.ts";

/** The options of {@link connect}. */
export interface ConnectOptions {
	/**
	 * The address of `messaging-gateway dev`.
	 * @default `MESSAGING_GATEWAY_BASE_URL`, or else `"http://localhost:8080"`
	 */
	baseUrl?: string | undefined;
	/**
	 * The token of the gateway's control, as you gave it to `messaging-gateway dev --control-token`.
	 * @default `MESSAGING_GATEWAY_CONTROL_TOKEN`
	 */
	token?: string | undefined;
	/** Sends the requests. @default the platform's fetch, for this machine without a proxy of the environment */
	fetch?: Fetch | undefined;
}

/** Acts as a contact, with the same methods as a contact of a gateway in your process. */
export interface RemoteContact {
	/**
	 * Writes a message.
	 * @returns the message.
	 */
	reply(text: string, options?: RemoteReplyOptions): Promise<Message>;
	/**
	 * Reacts to a message, or takes its reaction back. It is the last message that was sent to the contact, unless you
	 * name one.
	 */
	react(reaction: string, options?: Pick<ReactAction, "messageGuid" | "action">): Promise<void>;
	/** Reads all messages in the contact's own chat. */
	read(): Promise<void>;
}

/** The options of a contact's message. */
export interface RemoteReplyOptions {
	/** The files that the contact attaches. */
	attachments?: readonly AttachedFile[] | undefined;
	/** The number of the agent that receives it. @default the agent of the chat */
	to?: string | undefined;
	/** The id of the group to write in. */
	groupId?: string | undefined;
}

/** A local gateway in another process. Its methods have the same names as those of a gateway in your process. */
export interface ConnectedGateway {
	/** The address, without a trailing slash. */
	readonly baseUrl: string;
	/** The options of a client of this gateway. */
	readonly clientOptions: Pick<LocalClientOptions, "baseUrl" | "appId" | "appSecret">;
	/** The secret that signs the webhooks. */
	readonly webhookSecret: string;
	/** The gateway's clock. Everybody who uses this gateway sees it move. */
	readonly clock: {
		/** Returns the gateway's time, in Unix milliseconds. */
		now(): Promise<number>;
		/** Moves time forward, and resolves when all due work is done. */
		advance(ms: number): Promise<void>;
	};
	/** Acts as a contact. @param handle - a number in E.164, an e-mail address, or a short code. */
	contact(handle: string): RemoteContact;
	/** Acts as an agent. */
	agent(number: string): {
		/** Leaves the network. Messages to send wait. */
		goOffline(): Promise<void>;
		/** Comes back online and sends the waiting messages. */
		goOnline(): Promise<void>;
	};
	/** Injects faults into requests and deliveries. */
	readonly faults: RemoteFaults;
	/** Performs any action of the control. */
	act(action: Action): Promise<void>;
	/** Lists the messages, in both directions. */
	messages(query?: PageQuery): Promise<Page<MessageView>>;
	/** Lists the requests of your application. */
	requests(query?: PageQuery): Promise<Page<RequestView>>;
	/** Gets a request with its headers and bodies. */
	request(requestId: string): Promise<RequestDetails>;
	/** Lists the webhooks, with the receiver's response to each attempt. */
	deliveries(query?: PageQuery): Promise<Page<DeliveryView>>;
	/**
	 * Delivers a webhook at once, with the same event id. It is the next attempt of a pending webhook, or one more of a
	 * finished one.
	 */
	redeliver(eventId: string): Promise<void>;
	/** Sets the webhook URLs. An absent one stays as it is, `null` unsets it. */
	setDestinations(destinations: Omit<DestinationsAction, "type">): Promise<void>;
	/**
	 * Does all work that is or will be due. Time moves forward to each next task until nothing is left. Each attempt at
	 * a receiver that doesn't respond takes 10 s.
	 */
	settled(): Promise<void>;
	/** Resets the gateway: state, faults and records. */
	reset(): Promise<void>;
}

/**
 * Connects to a local gateway in another process, such as `messaging-gateway dev`. You play the contact, see what
 * happened, and make things fail. It doesn't work in a web page, since the gateway rejects all but its own pages.
 *
 * Every method throws LocalControlError (`local_control`) if the gateway can't be reached, the token is not its own, or
 * it rejects the action.
 *
 * @example
 * ```ts
 * const local = await connect({ baseUrl: "http://localhost:8080", token: process.env.MESSAGING_GATEWAY_CONTROL_TOKEN });
 * await local.contact("+15551234567").reply("Is anybody there?");
 * await local.settled();
 * const { items } = await local.deliveries({ failed: true });
 * ```
 * @throws ConfigurationError when an option is missing or invalid.
 * @throws LocalControlError when the gateway is not reached, or rejects the token.
 */
export async function connect(options: ConnectOptions = {}): Promise<ConnectedGateway> {
	const { baseUrl, token, fetch } = resolveOptions(options);
	const client = new ControlClient({
		baseUrl,
		token,
		fetch,
		whenUnreachable: `No local gateway responded at ${baseUrl}: start one with \`npx messaging-gateway dev\`, or give the baseUrl of another one (--base-url, MESSAGING_GATEWAY_BASE_URL).`,
		describeForeign: (version) => describeVersion(baseUrl, version),
		toError: (reason, message) => new LocalControlError(reason, message),
		whenUnauthorized:
			"The control token isn't that of this gateway: give the same one to both, with MESSAGING_GATEWAY_CONTROL_TOKEN or --control-token.",
	});
	const perform = async (action: Action): Promise<void> => {
		await client.act(action);
	};
	const { webhookSecret, ...credentials } = await client.get("getCredentials");
	return {
		baseUrl,
		clientOptions: { baseUrl, ...credentials },
		webhookSecret,
		clock: {
			now: async () => (await client.get("getClock")).now,
			advance: (ms) => perform({ type: "advance_clock", ms }),
		},
		contact: (from) => ({
			reply: (text, given = {}) => reply(client, { type: "reply", from, text, ...given }),
			react: (reaction, { messageGuid, action } = {}) =>
				perform({ type: "react", from, reaction, messageGuid, action }),
			read: () => perform({ type: "read", from }),
		}),
		agent: (agentNumber) => ({
			goOffline: () => perform({ type: "agent_online", agentNumber, isOnline: false }),
			goOnline: () => perform({ type: "agent_online", agentNumber, isOnline: true }),
		}),
		faults: createRemoteFaults(perform, () => client.get("getFaults")),
		act: perform,
		messages: (query) => client.page("messages", query),
		requests: (query) => client.page("requests", query),
		request: (requestId) => client.request(requestId),
		deliveries: (query) => client.page("deliveries", query),
		redeliver: (eventId) => perform({ type: "redeliver", eventId }),
		setDestinations: (destinations) => perform({ type: "destinations", ...destinations }),
		settled: () => perform({ type: "settle" }),
		reset: () => perform({ type: "reset" }),
	};
}

async function reply(client: ControlClient, action: ReplyAction): Promise<Message> {
	const { result } = await client.act(action);
	if (result === undefined) throw new TypeError("a reply without its message");
	return result.message;
}

function resolveOptions(options: ConnectOptions) {
	assertKnownKeys("connect()", options, ["baseUrl", "token", "fetch"]);
	assertFunction("fetch", options.fetch);
	const address = options.baseUrl ?? readEnvironment("MESSAGING_GATEWAY_BASE_URL") ?? "http://localhost:8080";
	const token = options.token ?? readEnvironment("MESSAGING_GATEWAY_CONTROL_TOKEN") ?? "";
	if (token === "") {
		throw new ConfigurationError(
			"token is missing: pass it to connect({ token }) and to `npx messaging-gateway dev --control-token`, or set MESSAGING_GATEWAY_CONTROL_TOKEN for both",
		);
	}
	if (!/^[\x21-\x7e]+$/.test(token)) throw new ConfigurationError("token must be visible ASCII characters");
	if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) {
		throw new ConfigurationError("baseUrl must be an absolute http or https URL");
	}
	return { baseUrl: new URL(address).origin, token, fetch: options.fetch ?? toolFetch };
}

function describeVersion(baseUrl: string, version: string | null): string {
	if (version === null)
		return `What responds at ${baseUrl} isn't a local gateway that can be controlled: name the address of \`npx messaging-gateway dev\`.`;
	return `The gateway at ${baseUrl} has version ${version.slice(0, 8)} of the control, and this package version ${CONTROL_VERSION}: use the same version of messaging-gateway.`;
}

import { OPERATIONS } from "./catalogue/index.ts";
import type { HttpMethod, Operation } from "./catalogue/operation.ts";
import { defineProfile } from "./catalogue/profile.ts";
import { getQueueStatus } from "./catalogue/queue.ts";
import { assertObject, shownKey } from "./check-options.ts";
import { bindCaller, callerOf } from "./client/bound-caller.ts";
import { rehearseCall } from "./client/call.ts";
import { Caller, type RequestOptions } from "./client/caller.ts";
import type { GatewayCall } from "./client/gateway-call.ts";
import {
	assertAppSecret,
	assertClientOptions,
	type CallOptions,
	type ClientOptions,
} from "./client/options.ts";
import { Agents } from "./client/resources/agents.ts";
import { Analytics } from "./client/resources/analytics.ts";
import { Health } from "./client/resources/health.ts";
import { Mappings } from "./client/resources/mappings.ts";
import { Messages } from "./client/resources/messages.ts";
import { Queue } from "./client/resources/queue.ts";
import { Settings } from "./client/resources/settings.ts";
import { ConfigurationError } from "./errors.ts";
import { assertHeaderValue } from "./signing/sign-request.ts";

/**
 * Calls the gateway: signs each request, unwraps each response, and turns each failure into a typed error with its
 * `outcome`.
 *
 * @example
 * ```ts
 * const gateway = new MessagingGateway({ baseUrl, appId, appSecret });
 * const { message } = await gateway.messages.sendText({ to: "+15551234567", text: "Hello" });
 * ```
 */
export class MessagingGateway {
	/** Sends messages, reactions, typing indicators and read receipts. */
	readonly messages = new Messages();
	/** Registers, assigns, blocks and inspects desktop agents. */
	readonly agents = new Agents();
	/** Inspects and manages which agent handles which number. */
	readonly mappings = new Mappings();
	/** Sets where the gateway delivers webhooks. */
	readonly settings = new Settings();
	/** Reads conversations, contacts and statistics. */
	readonly analytics = new Analytics();
	/** Reports how many send jobs are pending. */
	readonly queue = new Queue();
	/** Checks whether the gateway is up. */
	readonly health = new Health();

	/**
	 * Creates a client. It sends nothing before your first call.
	 * @param options - `baseUrl`, `appId` and `appSecret` default to environment variables, read at the first call.
	 * @throws ConfigurationError (`configuration`) if an option is invalid.
	 */
	constructor(options: ClientOptions = {}) {
		assertClientOptions(options);
		if (options.profile !== undefined) {
			const known: readonly string[] = OPERATIONS.map(({ id }) => id);
			const ids = Object.keys(defineProfile(options.profile).operations ?? {});
			const unknown = ids.find((id) => !known.includes(id));
			if (unknown !== undefined) {
				throw new ConfigurationError(
					`profile.operations["${shownKey(unknown)}"] isn't an operation: use ${known.join(", ")}`,
				);
			}
		}
		bindParts(this, new Caller(Object.freeze({ ...options })));
	}

	/**
	 * Checks the base URL and the credentials, so a mistake fails at start instead of at the first call. It signs a
	 * request but sends nothing, so it can't tell whether the gateway accepts them.
	 * @throws what the first call would: a ConfigurationError (`configuration`), a SignerError or a TimeoutError.
	 */
	async ready(): Promise<void> {
		const caller = callerOf(this);
		await rehearseCall(caller, { ...caller.plan(getQueueStatus, {}), options: undefined });
	}

	/** How far the gateway's clock is ahead of yours, in milliseconds. It is `undefined` before the first response. */
	get clockOffsetMs(): number | undefined {
		return callerOf(this).skew.offsetMs;
	}

	/**
	 * Creates a client for another app of the same gateway, such as another tenant. It keeps the options of this client
	 * except `signer`, and both share what they learn about the gateway's clock.
	 * @throws ConfigurationError (`configuration`) if the credentials are invalid.
	 */
	withCredentials(credentials: {
		appId: string;
		appSecret: NonNullable<ClientOptions["appSecret"]>;
	}): MessagingGateway {
		assertObject("the credentials", credentials);
		const { appId, appSecret } = credentials;
		assertHeaderValue("appId", appId);
		const caller = callerOf(this);
		if (typeof appSecret !== "function") assertAppSecret(appSecret, caller.options.profile);
		const { signer: _, ...options } = caller.options;
		const sibling = new MessagingGateway({ ...options, appId, appSecret });
		bindParts(sibling, new Caller(callerOf(sibling).options, caller));
		return sibling;
	}

	/**
	 * Calls an operation that you declared with `defineOperation`.
	 * @throws the same errors as the built-in methods.
	 */
	call<Input, Data>(
		operation: Operation<Input, Data>,
		input: NoInfer<Input>,
		options?: CallOptions,
	): GatewayCall<Data> {
		return callerOf(this).call(operation, input, options);
	}

	/**
	 * Calls a path that no method covers, with the same signing, unwrapping and errors. After a failure the client
	 * retries it only if you set `retry`.
	 *
	 * @example
	 * ```ts
	 * const data = await gateway.request("GET", "/agent/{number}/log", { params: { number }, retry: "safe" });
	 * ```
	 * @throws ConfigurationError (`configuration`) if the URL would change the path: it has a query, a dot segment in any
	 * spelling, or a character that a URL escapes.
	 */
	request(method: HttpMethod, path: string, options?: RequestOptions): GatewayCall<unknown> {
		return callerOf(this).request(method, path, options);
	}
}

/** Gives a client and its parts what they call with. */
function bindParts(gateway: MessagingGateway, caller: Caller): void {
	for (const part of [gateway, ...Object.values(gateway)]) bindCaller(part, caller);
}

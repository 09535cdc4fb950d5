import { ConfigurationError } from "../errors.ts";
import { readEnvironment } from "../runtime.ts";
import { hashBytes, type SigningProfile, signedPath } from "../signing/dialect.ts";
import {
	assertHeaderValue,
	createStringToSign,
	type SignatureHeaders,
	signatureHeaders,
	signString,
} from "../signing/sign-request.ts";
import { type BaseUrl, readBaseUrl } from "./base-url.ts";
import type { Deadline } from "./deadline.ts";
import { assertBaseUrl, assertSecret, type ClientOptions } from "./options.ts";
import type { PreparedRequest } from "./request.ts";
import { toSafeCause } from "./safe-cause.ts";
import { SecretSource } from "./secret-source.ts";

/** A request that a {@link Signer} signs. */
export interface RequestToSign {
	/** The HTTP method in upper case. */
	method: string;
	/** The absolute URL. */
	url: string;
	/** The canonical body that will be sent, or `undefined` where there is none. */
	body: Uint8Array | undefined;
	/** Lower-case hex SHA-256 of the body. */
	bodyHash: string;
	/** Unix time in milliseconds, corrected to the gateway's clock. */
	timestamp: number;
	/** A new UUID. */
	nonce: string;
	/** Method, path, body hash, timestamp and nonce, joined by newlines: what the HMAC covers. */
	stringToSign: string;
}

/** What a {@link Signer} answers. */
export interface SignedElsewhere {
	/** HMAC-SHA-256 of the string to sign, as 64 lower-case hex digits. */
	signature: string;
	/** The app id, where the signer knows it better than the client's options. */
	appId?: string | undefined;
	/** The timestamp, where the signer used its own. */
	timestamp?: number | undefined;
	/** The nonce, where the signer used its own. */
	nonce?: string | undefined;
}

/** Signs a request somewhere else; called for every attempt. */
export type Signer = (request: RequestToSign) => SignedElsewhere | Promise<SignedElsewhere>;

/** What makes one attempt unlike any other. */
interface Stamp {
	timestamp: number;
	nonce: string;
}

/** Whose requests these are: resolves the address and the credentials at the first call, and signs. */
export class Credentials {
	readonly #options: ClientOptions;
	#base: { text: string; parsed: BaseUrl } | undefined;
	/** Where the secret comes from a function. */
	readonly #source: SecretSource | undefined;
	/** The fetched secret that a request was last signed with. */
	readonly #signedWith = new WeakMap<PreparedRequest, string>();

	constructor(options: ClientOptions) {
		this.#options = options;
		const { appSecret } = options;
		if (typeof appSecret === "function") this.#source = new SecretSource(appSecret);
	}

	/** The base address; it is only parsed when it is not the one of the last call. */
	baseUrl(): BaseUrl {
		const text = this.#options.baseUrl ?? requireEnvironment("baseUrl", "MESSAGING_GATEWAY_BASE_URL");
		if (this.#base?.text === text) return this.#base.parsed;
		assertBaseUrl(text);
		const parsed = readBaseUrl(text);
		this.#base = { text, parsed };
		return parsed;
	}

	/**
	 * The four headers for one attempt: at once, unless the secret or the signature comes from elsewhere.
	 * @param createStamp - called once the secret is at hand, so that a slow source does not age the timestamp.
	 * @param deadline - how long to wait for what comes from elsewhere.
	 * @param signing - the form to sign in, where it is not the profile's own.
	 */
	sign(
		request: PreparedRequest,
		createStamp: () => Stamp,
		deadline: Deadline,
		signing: SigningProfile | undefined = this.#options.profile?.signing,
	): SignatureHeaders | Promise<SignatureHeaders> {
		const { signer } = this.#options;
		if (signer !== undefined)
			return deadline.limit(this.#signElsewhere(signer, request, createStamp(), signing));
		const sign = (secret: string): SignatureHeaders => {
			if (this.#source !== undefined) this.#signedWith.set(request, secret);
			const { timestamp, nonce } = createStamp();
			const { stringToSign } = createTexts(request, { timestamp, nonce }, signing);
			const signature = signString(stringToSign, secret);
			return signatureHeaders({ appId: this.#appId(), signature, timestamp, nonce });
		};
		const secret = this.#source === undefined ? this.#readSecret() : this.#source.read(deadline);
		return typeof secret === "string" ? sign(secret) : secret.then(sign);
	}

	async #signElsewhere(
		signer: Signer,
		request: PreparedRequest,
		stamp: Stamp,
		signing: SigningProfile | undefined,
	): Promise<SignatureHeaders> {
		const { method, url, body } = request;
		const signed = await callSigner(signer, {
			method,
			url,
			body,
			...createTexts(request, stamp, signing),
			...stamp,
		});
		if (!/^[0-9a-f]{64}$/.test(signed?.signature)) {
			throw new ConfigurationError("signer must answer with a signature of 64 lower-case hex digits");
		}
		const { signature, appId = this.#appId(), timestamp = stamp.timestamp, nonce = stamp.nonce } = signed;
		assertHeaderValue("appId", appId);
		assertHeaderValue("the nonce", nonce);
		if (!Number.isSafeInteger(timestamp)) {
			throw new ConfigurationError("signer must answer with a timestamp in whole milliseconds, if with one");
		}
		return signatureHeaders({ appId, signature, timestamp, nonce });
	}

	/**
	 * Asks the secret's function again after a 401, for a secret that was rotated.
	 * @returns whether there is another secret to try.
	 */
	async refresh(request: PreparedRequest, deadline: Deadline): Promise<boolean> {
		const refused = this.#signedWith.get(request);
		if (this.#source === undefined || refused === undefined) return false;
		return (await this.#source.readOther(refused, deadline)) !== refused;
	}

	#appId(): string {
		const appId = this.#options.appId ?? requireEnvironment("appId", "MESSAGING_GATEWAY_APP_ID");
		assertHeaderValue("appId", appId);
		return appId;
	}

	#readSecret(): string {
		const secret = this.#options.appSecret ?? requireEnvironment("appSecret", "MESSAGING_GATEWAY_APP_SECRET");
		assertSecret(secret);
		return secret;
	}
}

/** What is signed, in a form. */
function createTexts(
	request: PreparedRequest,
	stamp: Stamp,
	signing: SigningProfile | undefined,
): { bodyHash: string; stringToSign: string } {
	const bodyHash = hashBytes(request.body, signing);
	const path = signedPath(request.parsedUrl, request.base.path, signing);
	assertHeaderValue("the nonce", stamp.nonce);
	return {
		bodyHash,
		stringToSign: createStringToSign({ method: request.method, path, bodyHash, ...stamp }),
	};
}

async function callSigner(signer: Signer, request: RequestToSign): Promise<SignedElsewhere> {
	try {
		return await signer(request);
	} catch (error) {
		throw new ConfigurationError("signer failed", { cause: toSafeCause(error) });
	}
}

function requireEnvironment(option: string, name: string): string {
	const value = readEnvironment(name);
	if (value === undefined)
		throw new ConfigurationError(`${option} is missing: pass it to the client, or set ${name}`);
	return value;
}

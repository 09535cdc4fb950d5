import { ConfigurationError, SignerError } from "../errors.ts";
import { howToSet, readEnvironment, rethrowControlFlow } from "../host.ts";
import { randomUuid } from "../runtime.ts";
import { copySecret } from "../signing/decode-secret.ts";
import {
	type SignatureHeaders,
	type SigningProfile,
	signatureHeaders,
	signWithSecret,
	type UnsignedRequest,
	writeStringToSign,
	writeTimestamp,
} from "../signing/dialect.ts";
import { assertHeaderValue } from "../signing/sign-request.ts";
import type { Deadline } from "./deadline.ts";
import { assertBaseUrl, assertSecretIsPrivate, type CallLimits, type ClientOptions } from "./options.ts";
import { type BaseUrl, type PreparedRequest, readBaseUrl } from "./request.ts";
import { toSafeCause } from "./safe-cause.ts";
import { SecretSource } from "./secret-source.ts";
import type { Signer, SignerResult } from "./signer.ts";

/** @param option - the option whose limit was reached. */
export function signerTimedOut(option: keyof CallLimits, limitMs: number): SignerError {
	return new SignerError(
		`Your signer took longer than ${option}, ${limitMs} ms, and nothing was sent: check what it waits for`,
	);
}

/** Resolves the base URL and the credentials at the first call, and signs requests. */
export class Credentials {
	readonly #options: ClientOptions;
	readonly #now: () => number;
	#base: { text: string; parsed: BaseUrl } | undefined;
	readonly #secret: string | Uint8Array | undefined;
	/** Set if the secret comes from a function. */
	readonly #source: SecretSource | undefined;
	/** The fetched secret that a request was last signed with. */
	readonly #signedWith = new WeakMap<PreparedRequest, string | Uint8Array>();

	/** @param now - the time on the gateway's clock, in Unix milliseconds. */
	constructor(options: ClientOptions, now: () => number) {
		this.#options = options;
		this.#now = now;
		const { appSecret } = options;
		if (typeof appSecret === "function") {
			this.#source = new SecretSource(appSecret, options);
		} else this.#secret = copySecret(appSecret);
	}

	/** The base URL; it is only parsed when it is not the one of the last call. */
	baseUrl(): BaseUrl {
		const text = this.#options.baseUrl ?? requireEnvironment("baseUrl", this.#options);
		if (this.#base?.text === text) return this.#base.parsed;
		assertBaseUrl(text);
		const parsed = readBaseUrl(text);
		this.#base = { text, parsed };
		return parsed;
	}

	/**
	 * The four headers for one attempt: synchronously, unless the secret comes from a function, or a signer signs.
	 * @param deadline - limits the wait for the secret or the signer.
	 * @param signerTimeoutMs - the longest that the signer may take, in milliseconds; as long as the deadline by default.
	 */
	sign(
		request: PreparedRequest,
		deadline: Deadline,
		signerTimeoutMs?: number,
	): SignatureHeaders | Promise<SignatureHeaders> {
		const { signer, profile } = this.#options;
		if (signer !== undefined) {
			const signed = this.#signWithSigner(signer, request, this.#stamp(request), profile?.signing);
			if (signerTimeoutMs === undefined) return deadline.limit(signed);
			return deadline.limit(signed, {
				timeoutMs: signerTimeoutMs,
				timedOut: signerTimedOut("attemptTimeoutMs", signerTimeoutMs),
				stop: () => undefined,
			});
		}
		const sign = (secret: string | Uint8Array): SignatureHeaders => {
			if (this.#source !== undefined) this.#signedWith.set(request, secret);
			// Only now, since a slow source would age the timestamp.
			const unsigned = { ...this.#stamp(request), appId: this.#appId() };
			return signWithSecret(unsigned, secret, profile?.signing).headers;
		};
		const secret = this.#source?.read(deadline) ?? this.#secret ?? this.#secretOfEnvironment();
		return typeof secret === "object" && "then" in secret ? secret.then(sign) : sign(secret);
	}

	async #signWithSigner(
		signer: Signer,
		{ method, url, body }: PreparedRequest,
		unsigned: UnsignedRequest,
		signing: SigningProfile | undefined,
	): Promise<SignatureHeaders> {
		const { bodyHash, stringToSign } = writeStringToSign(unsigned, signing);
		const stamp = { timestamp: unsigned.timestamp, nonce: unsigned.nonce };
		const input = { method, url, body, bodyHash, stringToSign, ...stamp };
		let signed: SignerResult;
		try {
			signed = await signer(input);
		} catch (error) {
			rethrowControlFlow(error);
			throw new SignerError(
				"Your signer threw, and nothing was sent. Its error is left out, since it may hold a secret: log it in the signer",
				{ cause: toSafeCause(error) },
			);
		}
		if (!/^[0-9a-f]{64}$/.test(signed?.signature)) {
			throw new ConfigurationError("signer must return a signature of 64 lower-case hex digits");
		}
		const { signature, appId = this.#appId(), timestamp = stamp.timestamp, nonce = stamp.nonce } = signed;
		assertHeaderValue("appId", appId);
		assertHeaderValue("the nonce", nonce);
		if (!Number.isSafeInteger(timestamp)) {
			throw new ConfigurationError(
				"signer must return a timestamp that is an integer, in milliseconds, or none",
			);
		}
		return signatureHeaders({ appId, nonce }, writeTimestamp(timestamp, signing), signature);
	}

	/**
	 * Calls the secret's function again after a 401, in case the secret was rotated.
	 * @returns whether there is another secret to try.
	 */
	async refresh(request: PreparedRequest, deadline: Deadline): Promise<boolean> {
		const rejected = this.#signedWith.get(request);
		if (this.#source === undefined || rejected === undefined) return false;
		return (await this.#source.readOther(rejected, deadline)) !== rejected;
	}

	/** Adds a timestamp, and a nonce that no other request has (section 5.1). */
	#stamp({ method, parsedUrl, base, body }: PreparedRequest): UnsignedRequest {
		const stamp = { timestamp: this.#now(), nonce: randomUuid() };
		return { method, line: parsedUrl, basePath: base.path, body, ...stamp };
	}

	/** A bundler may have put the server's variables into a page. */
	#secretOfEnvironment(): string {
		const secret = requireEnvironment("appSecret", this.#options);
		assertSecretIsPrivate(this.#options);
		return secret;
	}

	#appId(): string {
		const { appId } = this.#options;
		// An option was checked when the client was made.
		if (appId !== undefined) return appId;
		const found = requireEnvironment("appId", this.#options);
		assertHeaderValue("appId", found);
		return found;
	}
}

/** The variables of the options that every client needs. */
const VARIABLES = {
	baseUrl: "MESSAGING_GATEWAY_BASE_URL",
	appId: "MESSAGING_GATEWAY_APP_ID",
	appSecret: "MESSAGING_GATEWAY_APP_SECRET",
} as const;

/** @throws ConfigurationError that names every value that is missing, if this one is. */
function requireEnvironment(option: keyof typeof VARIABLES, options: ClientOptions): string {
	const value = readEnvironment(VARIABLES[option]);
	if (value !== undefined) return value;
	const missing = (["baseUrl", "appId", "appSecret"] as const).filter(
		(name) =>
			options[name] === undefined &&
			readEnvironment(VARIABLES[name]) === undefined &&
			(name === "baseUrl" || options.signer === undefined || name === option),
	);
	const variables = missing.map((name) => VARIABLES[name]);
	const start = missing.includes("baseUrl")
		? ". No account yet? `npx messaging-gateway dev --write-env .env` starts a gateway and writes them"
		: "";
	const [are, them] = missing.length === 1 ? ["is", "it"] : ["are", "them"];
	throw new ConfigurationError(
		`${joinNames(missing)} ${are} missing. Pass ${them} to the client, or ${howToSet(joinNames(variables))}${start}`,
	);
}

/** Names in a sentence: `a, b and c`. */
function joinNames(names: readonly string[]): string {
	return names.join(", ").replace(/, ([^,]*)$/, " and $1");
}

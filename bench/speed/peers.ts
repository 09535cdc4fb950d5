import { importPeer } from "../peers/load.ts";

/*
 * The parts of the peers that are measured, since their types are not there when ours are checked. Each contender is
 * seen to do its work right before it is measured, so that a peer that has changed stops the run.
 */

/** A webhook verifier of the kind of Standard Webhooks. */
interface StandardVerifier {
	verify(payload: string | Buffer, headers: Readonly<Record<string, string>>): unknown;
	sign(eventId: string, timestamp: Date, payload: string): string;
}

interface Peers {
	"@aws-crypto/sha256-js": { Sha256: unknown };
	"@linqapp/sdk": {
		default: new (options: {
			apiKey: string;
			baseURL: string;
			fetch?: Fetch;
		}) => { chats: { create(input: object): Promise<unknown> } };
	};
	"@octokit/webhooks-methods": {
		verify(secret: string, payload: string, signature: string): Promise<boolean>;
	};
	"@smithy/signature-v4": {
		SignatureV4: new (
			options: object,
		) => {
			sign(request: object): Promise<{ headers: Record<string, string> }>;
		};
	};
	aws4fetch: {
		AwsV4Signer: new (options: object) => { sign(): Promise<{ headers: Headers }> };
	};
	canonicalize: { default: (value: unknown) => string };
	"json-canonicalize": { canonicalize: (value: unknown) => string };
	openai: {
		default: new (options: {
			apiKey: string;
			baseURL: string;
			fetch?: Fetch;
		}) => { chat: { completions: { create(input: object): Promise<unknown> } } };
	};
	"safe-stable-stringify": { default: (value: unknown) => string };
	sendblue: {
		default: new (options: {
			apiKey: string;
			apiSecret: string;
			baseURL: string;
			fetch?: Fetch;
		}) => { messages: { send(input: object): Promise<unknown> } };
	};
	standardwebhooks: { Webhook: new (secret: string) => StandardVerifier };
	stripe: {
		default: {
			new (apiKey: string, options: object): StripeClient;
			createFetchHttpClient(fetch?: Fetch): unknown;
		};
	};
	svix: { Webhook: new (secret: string) => StandardVerifier };
}

interface StripeClient {
	customers: { create(input: object): Promise<unknown> };
	webhooks: { constructEvent(payload: string | Buffer, header: string, secret: string): unknown };
}

/** The replacement of the platform's fetch in SDKs. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** Loads a peer from bench/peers. */
export async function loadPeer<Name extends keyof Peers>(name: Name): Promise<Peers[Name]> {
	return (await importPeer(name)) as Peers[Name];
}

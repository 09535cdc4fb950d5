/*
 * The parts of the peers that are measured, since their types are not there when ours are checked. Each contender is
 * seen to do its work right before it is measured, so that a peer that has changed stops the run.
 */
interface Peers {
	"@aws-crypto/sha256-js": { Sha256: unknown };
	"@linqapp/sdk": {
		default: new (options: object) => { chats: { create(input: object): Promise<unknown> } };
	};
	"@octokit/webhooks-methods": {
		verify(secret: string, payload: string, signature: string): Promise<boolean>;
	};
	"@smithy/signature-v4": {
		SignatureV4: new (
			options: object,
		) => { sign(request: object): Promise<{ headers: Record<string, string> }> };
	};
	aws4fetch: { AwsV4Signer: new (options: object) => { sign(): Promise<{ headers: Headers }> } };
	canonicalize: { default: (value: unknown) => string };
	"json-canonicalize": { canonicalize: (value: unknown) => string };
	/** Calls a function in batches until the time is over. */
	mitata: { measure(run: () => unknown, options: object): Promise<{ avg: number }> };
	openai: {
		default: new (options: object) => { chat: { completions: { create(input: object): Promise<unknown> } } };
	};
	"safe-stable-stringify": { default: (value: unknown) => string };
	sendblue: { default: new (options: object) => { messages: { send(input: object): Promise<unknown> } } };
	standardwebhooks: { Webhook: StandardVerifier };
	stripe: {
		default: {
			new (
				apiKey: string,
				options: object,
			): {
				customers: { create(input: object): Promise<unknown> };
				webhooks: { constructEvent(payload: string | Buffer, header: string, secret: string): unknown };
			};
			createFetchHttpClient(fetch?: Fetch): unknown;
		};
	};
	svix: { Webhook: StandardVerifier };
}

/** A webhook verifier of the kind of Standard Webhooks. */
type StandardVerifier = new (
	secret: string,
) => {
	verify(payload: string | Buffer, headers: Readonly<Record<string, string>>): unknown;
	sign(eventId: string, timestamp: Date, payload: string): string;
};

/** The replacement of the platform's fetch in SDKs. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** The folder of the peers, which are not among the project's dependencies. */
export const PEERS_FOLDER = import.meta.dirname;

/** Loads a peer from here. */
export function loadPeer<Name extends keyof Peers>(name: Name): Promise<Peers[Name]> {
	return import(name);
}

/** The address that an import of a peer resolves to. */
export function resolvePeer(name: string): string {
	return import.meta.resolve(name);
}

/*
 * The parts of the peers that are measured, since their types are not there when ours are checked. Each contender is
 * seen to do its work right before it is measured, so that a peer that has changed stops the run.
 */
interface Peers {
	"@linqapp/sdk": Sdk<{ chats: { create: Call } }>;
	canonicalize: { default: (value: unknown) => string };
	"json-canonicalize": { canonicalize: (value: unknown) => string };
	openai: Sdk<{ chat: { completions: { create: Call } } }>;
	"safe-stable-stringify": { default: (value: unknown) => string };
	sendblue: Sdk<{ messages: { send: Call } }>;
	standardwebhooks: { Webhook: StandardVerifier };
	stripe: {
		default: {
			new (apiKey: string, options: object): { customers: { create: Call }; webhooks: StripeWebhooks };
			createFetchHttpClient(fetch?: Fetch): unknown;
		};
	};
	svix: { Webhook: StandardVerifier };
}

interface Sdk<Client> {
	readonly default: new (options: object) => Client;
}

type Call = (input: object) => Promise<unknown>;

interface StripeWebhooks {
	constructEvent(payload: string | Buffer, header: string, secret: string): unknown;
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

/*
 * The parts of the peers that are measured, since their types are not there when ours are checked. Each contender is
 * seen to do its work right before it is measured, so that a peer that has changed stops the run.
 */
interface Peers {
	canonicalize: { default: (value: unknown) => string };
	standardwebhooks: { Webhook: StandardVerifier };
	stripe: { default: new (apiKey: string, options: object) => { webhooks: StripeWebhooks } };
	svix: { Webhook: StandardVerifier };
}

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

/** The folder of the peers, which are not among the project's dependencies. */
export const PEERS_FOLDER = import.meta.dirname;

/** Loads a peer from here. */
export function loadPeer<Name extends keyof Peers>(name: Name): Promise<Peers[Name]> {
	return import(name);
}

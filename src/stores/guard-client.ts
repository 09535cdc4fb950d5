export interface GuardedClient<Client> {
	readonly handle: Client;
	/** From now on the handle runs nothing: its connection serves others. */
	close(): void;
}

/** What ends a transaction or begins one. A savepoint is the handler's own affair. */
const CONTROL =
	/^\s*(?:BEGIN|START\s+TRANSACTION|COMMIT|END|ABORT|PREPARE\s+TRANSACTION|ROLLBACK(?!\s+(?:(?:WORK|TRANSACTION)\s+)?TO\b))\b/i;

/**
 * Rejects statements that would end the inbox's transaction before they are sent, and every statement after its end. One
 * that hides in others, as in `SELECT 1; COMMIT`, is found by the check before the commit, when it has been done.
 */
export function guardClient<Client extends object>(client: Client): GuardedClient<Client> {
	let isClosed = false;
	function assertAllowed(statement: unknown): void {
		if (isClosed) {
			throw new Error("the inbox's transaction is over: await everything that a handler starts");
		}
		const text = typeof statement === "object" ? Reflect.get(Object(statement), "text") : statement;
		if (CONTROL.test(String(text))) {
			throw new Error(
				"the inbox begins and ends its transaction: use SAVEPOINT and ROLLBACK TO in a handler",
			);
		}
	}
	const handle = new Proxy(client, {
		get(target, name) {
			const member: unknown = Reflect.get(target, name);
			if (typeof member !== "function") return member;
			return (...given: unknown[]): unknown => {
				if (name === "query") assertAllowed(given[0]);
				return Reflect.apply(member, target, given);
			};
		},
	});
	return {
		handle,
		close() {
			isClosed = true;
		},
	};
}

/** A client without the methods that give its connection away. */
export type InboxClient<Client> = Omit<Client, "release" | "end">;

export interface GuardedClient<Client> {
	readonly handle: InboxClient<Client>;
	/** From now on the handle runs nothing: its connection serves others. */
	close(): void;
}

/** What ends a transaction or begins one. A savepoint is the handler's own affair. */
const CONTROL =
	/^(?:BEGIN|START TRANSACTION|COMMIT|END|ABORT|PREPARE TRANSACTION|ROLLBACK(?! (?:(?:WORK|TRANSACTION) )?TO )) /i;

/**
 * Rejects statements that would end the inbox's transaction before they are sent, and every statement after its end. One
 * that hides in others, as in `SELECT 1; COMMIT`, is found by the check before the commit, when it has been done.
 * A released connection would serve another event in the same transaction, so `release` and `end` throw.
 */
export function guardClient<Client extends object>(client: Client): GuardedClient<Client> {
	let isClosed = false;
	function assertAllowed(statement: unknown): void {
		if (isClosed) {
			throw new Error("the inbox's transaction is over: await everything that a handler starts");
		}
		const text = typeof statement === "object" ? Reflect.get(Object(statement), "text") : statement;
		if (CONTROL.test(readWords(String(text)))) {
			throw new Error(
				"the inbox begins and ends its transaction: use SAVEPOINT and ROLLBACK TO in a handler",
			);
		}
	}
	const handle: Client = new Proxy(client, {
		get(target, name) {
			const member: unknown = Reflect.get(target, name);
			if (typeof member !== "function") return member;
			return (...given: unknown[]): unknown => {
				if (name === "release" || name === "end") {
					throw new Error(
						`the inbox releases its client when the transaction is over: a handler must not call ${name}()`,
					);
				}
				if (name === "query") assertAllowed(given[0]);
				const result: unknown = Reflect.apply(member, target, given);
				return result === target ? handle : result;
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

/** The first three words of the first statement. */
function readWords(text: string): string {
	let words = "";
	let rest = skipComments(text, /^(?:[\s;]|--[^\n\r]*)+/);
	for (let count = 0; count < 3; count++) {
		const word = /^\w*/.exec(rest)?.[0] ?? "";
		words += `${word} `;
		rest = skipComments(rest.slice(word.length), /^(?:\s|--[^\n\r]*)+/);
	}
	return words;
}

/** The text behind block comments and what else is ignored in front of a word. */
function skipComments(text: string, ignored: RegExp): string {
	let rest = text.replace(ignored, "");
	while (rest.startsWith("/*")) rest = rest.slice(findCommentEnd(rest)).replace(ignored, "");
	return rest;
}

/** Where a block comment ends: PostgreSQL nests them. */
function findCommentEnd(text: string): number {
	let depth = 0;
	for (const { 0: mark, index } of text.matchAll(/\/\*|\*\//g)) {
		depth += mark === "/*" ? 1 : -1;
		if (depth === 0) return index + mark.length;
	}
	return text.length;
}

import type { ChildProcess, Serializable } from "node:child_process";
import { once } from "node:events";

/** How to ask a process, which answers with a message. If it ends instead, asking rejects. */
export function converse<Answer>(child: ChildProcess, name: string) {
	const ended = once(child, "exit").then(([code, signal]): never => {
		throw new Error(`${name} ended with ${code ?? signal}`);
	});
	// Nobody asks one that has done its work.
	ended.catch(() => undefined);
	return async (question?: Serializable): Promise<Answer> => {
		if (question !== undefined) child.send(question);
		const [answer]: unknown[] = await Promise.race([once(child, "message"), ended]);
		return answer as Answer;
	};
}

/** A hook for the bot's process: each post waits in one queue, whose jobs run in the context of whoever started it. */
import { Chat } from "chat";
import fastq from "fastq";

const queue = fastq.promise((work: () => unknown) => Promise.resolve(work()), 2);
const { onDirectMessage } = Chat.prototype;

Chat.prototype.onDirectMessage = function (handler) {
	onDirectMessage.call(this, (thread, ...more) => handler(withQueuedPosts(thread), ...more));
};

function withQueuedPosts<Posted extends object>(thread: Posted): Posted {
	return new Proxy(thread, {
		get(target, name) {
			const value: unknown = Reflect.get(target, name, target);
			if (typeof value !== "function") return value;
			const call = (...given: unknown[]): unknown => Reflect.apply(value, target, given);
			return name === "post" ? (...given: unknown[]) => queue.push(() => call(...given)) : call;
		},
	});
}

import process from "node:process";
import { afterEach, beforeEach } from "vitest";

/** The rejections that nobody has handled since a test of the file began. */
export function watchRejections(): readonly unknown[] {
	const rejections: unknown[] = [];
	const note = (reason: unknown) => void rejections.push(reason);
	beforeEach(() => {
		rejections.length = 0;
		process.on("unhandledRejection", note);
	});
	afterEach(() => {
		process.off("unhandledRejection", note);
	});
	return rejections;
}

import process from "node:process";
import { systemCodeOf } from "./failure.ts";

/** Whether another process has this id. */
export function isRunning(pid: number): boolean {
	// A container gives each of its runs the same ids.
	if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
	try {
		return process.kill(pid, 0);
	} catch (error) {
		return systemCodeOf(error) === "EPERM";
	}
}

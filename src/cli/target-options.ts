import type { Command } from "commander";
import { usageError } from "./failure.ts";

/** The options that name the recipient of a message. */
export interface TargetOptions {
	to?: string;
	group?: string;
	participants?: string;
	groupName?: string;
}

/** Adds the options that name the recipient of a message. */
export function withTargetOptions(command: Command): Command {
	return command
		.option("--to <number>", "the contact, in E.164")
		.option("--group <id>", "the group")
		.option("--participants <numbers>", "the contacts of a group, separated by commas")
		.option("--group-name <name>", "a name for that group");
}

/** Reads the one recipient from the options. */
export function targetOf({ to, group, participants, groupName }: TargetOptions) {
	const given = [to, group, participants].filter((value) => value !== undefined);
	if (given.length !== 1) throw usageError("give exactly one of --to, --group and --participants");
	if (to !== undefined) return { to };
	if (group !== undefined) return { groupId: group };
	return { participants: (participants ?? "").split(",").map((number) => number.trim()), groupName };
}

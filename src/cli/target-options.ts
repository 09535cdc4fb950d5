import type { Command } from "commander";
import { misused } from "./failure.ts";

/** Who a message is for, as given on the command line. */
export interface TargetOptions {
	to?: string;
	group?: string;
	participants?: string;
	groupName?: string;
}

/** Adds the options that name who a message is for. */
export function withTargetOptions(command: Command): Command {
	return command
		.option("--to <number>", "the contact, in E.164")
		.option("--group <id>", "the group")
		.option("--participants <numbers>", "the contacts of a group, separated by commas")
		.option("--group-name <name>", "a name for that group");
}

/** The one target that the options name. */
export function targetOf({ to, group, participants, groupName }: TargetOptions) {
	const given = [to, group, participants].filter((value) => value !== undefined);
	if (given.length !== 1) throw misused("give exactly one of --to, --group and --participants");
	if (to !== undefined) return { to };
	if (group !== undefined) return { groupId: group };
	return { participants: (participants ?? "").split(",").map((number) => number.trim()), groupName };
}

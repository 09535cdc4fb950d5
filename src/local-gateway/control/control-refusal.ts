import type { ControlProblemCode } from "./contract.ts";

/** Something that a gateway's control does not do: the code is for programs, the message says what to do. */
export class ControlRefusal extends Error {
	override get name() {
		return "ControlRefusal" as const;
	}
	readonly code: ControlProblemCode;

	constructor(code: ControlProblemCode, message: string) {
		super(message);
		this.code = code;
	}
}

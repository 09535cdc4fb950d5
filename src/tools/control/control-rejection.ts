import type { ControlProblemCode } from "./contract.ts";

/** Thrown by a gateway's control: the code is for programs, the message says what to do. */
export class ControlRejection extends Error {
	override get name() {
		return "ControlRejection" as const;
	}
	readonly code: ControlProblemCode;

	constructor(code: ControlProblemCode, message: string) {
		super(message);
		this.code = code;
	}
}

import { InputError } from "../errors.ts";

/** The error for one field of an input. */
export function invalidInput(name: string, message: string): InputError {
	return new InputError(`${name} ${message}`, [{ path: name, message }]);
}

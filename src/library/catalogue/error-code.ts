const ERROR_CODE = /^[\w.:-]{1,64}$/;

/** Whether a value is an error code as gateways write them: anything else could be a sentence with a number in it. */
export function isErrorCode(value: unknown): value is string {
	return typeof value === "string" && ERROR_CODE.test(value);
}

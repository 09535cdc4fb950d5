/** What to write in place of an option that the stores do not have. */
export const REPLACED_STORE_OPTIONS: Readonly<Record<string, string>> = {
	timeoutMs:
		"set storeTimeoutMs of the handler, the sender or verifyRequest, which limits every call of a store",
	namedStatements: "a Pool of pg gets named statements, and every other client plain ones, so leave it out",
};

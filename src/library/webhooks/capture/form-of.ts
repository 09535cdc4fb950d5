/** Longer values are cut: a stranger wrote them. */
const MAX_LENGTH = 512;

/** A version of a signature, hex, letters, digits, and what is not visible ASCII. */
const RUNS =
	/(?<version>\bv\d(?==))|(?<hex>[\da-f]{16,})|(?<letter>[a-z]+)|(?<digit>\d+)|(?<other>[^!-~]+)/gi;

/** The form of a header's value without what it says: `v1=…` of 64 hex digits is `v1=<64 hex>`. */
export function formOf(value: string | undefined): string | undefined {
	return value?.slice(0, MAX_LENGTH).replace(RUNS, (run, ...rest) => {
		const groups: Record<string, string | undefined> = rest.at(-1);
		const [kind = "other"] = Object.keys(groups).filter((name) => groups[name] !== undefined);
		return kind === "version" ? run : `<${run.length} ${kind}>`;
	});
}

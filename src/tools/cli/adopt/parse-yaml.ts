import { parse } from "yaml";

/**
 * Parses YAML without aliases, which can make a small file huge.
 * @throws if it is not YAML, or has an alias.
 */
export function parseYaml(text: string): unknown {
	return parse(text, { maxAliasCount: 0, logLevel: "silent" });
}

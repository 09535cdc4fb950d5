import {
	type GatewayDocument,
	isApiDocument,
	isGatewayDocument,
	isWrittenAsDocument,
	parseText,
	type YamlParser,
} from "../document/parse-document.ts";
import type { DocumentFetcher, FetchedText } from "./document-fetcher.ts";
import { addressesIn, type PageContent, readDocsPage, USUAL_PATHS } from "./find-addresses.ts";

/** A document, and how it was found. */
export interface FoundDocument {
	readonly document: GatewayDocument;
	/** Its text, for a hash. */
	readonly text: string;
	/** The paths that led to it. */
	readonly trail: readonly string[];
}

const MAX_SCRIPTS = 10;

/** Looks for a document at the first of these addresses that has or names one. */
export async function discoverDocument(
	addresses: readonly string[],
	fetcher: DocumentFetcher,
	parseYaml: YamlParser,
): Promise<FoundDocument | undefined> {
	return readAll(addresses, [], [], { fetcher, parseYaml });
}

/** Where a gateway's document may be: on its page of documentation (specification, section 4.4), or where others are. */
export function usualAddresses(baseUrl: string): string[] {
	const base = baseUrl.replace(/\/+$/, "");
	const starts = [...new Set([base, new URL(base).origin])];
	return ["/docs", "/docs/", ...USUAL_PATHS].flatMap((path) => starts.map((start) => start + path));
}

interface Search {
	readonly fetcher: DocumentFetcher;
	readonly parseYaml: YamlParser;
}

/** Fetches an address: it may be the document, a page that names it, or a configuration that does. */
async function readFrom(
	address: string,
	trail: readonly string[],
	search: Search,
): Promise<FoundDocument | undefined> {
	// A page that leads to a page that leads to a page has no end.
	if (trail.length > 3) return undefined;
	const fetched = await search.fetcher.get(address);
	if (fetched === undefined) return undefined;
	const here = [...trail, new URL(fetched.url).pathname];
	const value = parseText(fetched.text, search.parseYaml);
	if (value !== undefined) {
		if (isApiDocument(value)) {
			if (isGatewayDocument(value)) return { document: value, text: fetched.text, trail: here };
			search.fetcher.left.add(`${here.at(-1)} (it has no path of the specification)`);
			return undefined;
		}
		return readAll(addressesIn(value), [fetched.url], here, search);
	}
	if (isWrittenAsDocument(fetched.text)) {
		search.fetcher.left.add(`${here.at(-1)} (it can't be read as JSON, nor as YAML without aliases)`);
		return undefined;
	}
	return readContent(readDocsPage(fetched.text), [fetched], here, search);
}

async function readContent(
	{ inline, addresses, scripts }: PageContent,
	pages: readonly FetchedText[],
	trail: readonly string[],
	search: Search,
): Promise<FoundDocument | undefined> {
	const document = inline.find((value) => isApiDocument(value) && isGatewayDocument(value));
	if (isApiDocument(document)) return { document, text: JSON.stringify(document), trail };
	const urls = pages.map(({ url }) => url);
	const found = await readAll(addresses, urls, trail, search);
	// Scripts of a page count, those of a script do not.
	if (found !== undefined || pages.length > 1) return found;
	for (const script of scripts.slice(0, MAX_SCRIPTS)) {
		for (const url of resolved(script, urls)) {
			const fetched = await search.fetcher.get(url);
			if (fetched === undefined) continue;
			const here = [...trail, new URL(fetched.url).pathname];
			const inScript = await readContent(readDocsPage(fetched.text), [...pages, fetched], here, search);
			if (inScript !== undefined) return inScript;
			break;
		}
	}
	return undefined;
}

async function readAll(
	addresses: readonly string[],
	from: readonly string[],
	trail: readonly string[],
	search: Search,
): Promise<FoundDocument | undefined> {
	for (const url of addresses.flatMap((address) => resolved(address, from))) {
		const found = await readFrom(url, trail, search);
		if (found !== undefined) return found;
	}
	return undefined;
}

/** What an address may mean: it is relative to the page, to the page as a folder, or to the script. */
function resolved(address: string, from: readonly string[]): string[] {
	if (from.length === 0) return [address];
	const bases = from.flatMap((url) => {
		const path = url.replace(/[?#].*$/, "");
		return /\.\w+$/.test(path) || path.endsWith("/") ? [path] : [path, `${path}/`];
	});
	return [
		...new Set(bases.flatMap((base) => (URL.canParse(address, base) ? [new URL(address, base).href] : []))),
	];
}

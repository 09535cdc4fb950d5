import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readMembers } from "../../scripts/docs/members.ts";

/** What users read. The tables of `npm run docs` and the OpenAPI document come from docstrings, which are here. */
const PUBLISHED = [
	"README.md",
	"SECURITY.md",
	"docs/**/*.md",
	"skills/**/*.md",
	"src/**/*.{ts,tsx}",
	"examples/**/*.{ts,md}",
];
const NOT_READ = [
	"**/node_modules/**",
	"docs/api-report.md",
	"docs/decisions/**",
	"src/tools/openapi/interface-docs.ts",
];

/** What marks a sentence as our assumption; docs/assumed.md explains it. */
const MARK =
	/\bassum(?:ed|es?|ptions?)\b|\bnot (?:promised|specified|shown)\b|\bdoes not (?:show|define|promise)\b/i;

/** What the specification leaves open, and what a sentence that states it looks like. */
interface OpenClaim {
	readonly pattern: RegExp;
	/** Sentences of each form, which must be found. */
	readonly examples: readonly string[];
	/** Our own programs, whose rules and limits are facts. */
	readonly except?: readonly string[];
}

const PROMISES: Readonly<Record<string, OpenClaim>> = {
	"that an event is delivered again (section 6.4: the retry policy is not shown)": {
		pattern:
			/\b(?:come|comes) again\b|redelivers? (?:it|the event)\b|(?<!whether )\bthe (?:gateway|sender) (?:retries|will retry|delivers? (?:it |the event )?again)\b|\b(?:another|the next) delivery (?:runs|will run|brings)\b(?!.*if there is one)/i,
		examples: [
			"and then it comes again.",
			"the gateway retries",
			" * After that the gateway\n * delivers it again, until",
			"the event is not acknowledged, and another delivery\n * runs it again.",
		],
	},
	"that every delivery of an event has the same id (section 6.1)": {
		pattern:
			/\bsame over all deliveries|\b(?:each|every|all) deliver(?:y|ies) of (?:an?|the|one) event (?:has|have|shares?|carr(?:y|ies)) the same id\b|\bevent(?:'s)? id (?:is|stays) the same\b/i,
		examples: [
			"The id is the same over all deliveries.",
			"Every delivery of an event has the same id.",
			"The event id stays the same.",
		],
	},
	"that a duplicate proves an earlier send (section 2.4)": {
		pattern:
			/\b(?:if|where|when|since) (?:the first|the earlier one|it) (?:was|had been) accepted, (?:the|its|an) (?:answer|response)|DuplicateMessageError`? (?:proves|shows|means) (?:that )?(?:the first|the earlier|it\b)|\b(?:an? )?(?:equal|identical|same) (?:text|message)s? (?:was|were|had been) (?:accepted|sent)\b(?! again)/i,
		examples: [
			"\t// if the first was accepted, the\n\t// answer is a `DuplicateMessageError`",
			"A `DuplicateMessageError` proves that the first was sent.",
			"Not sent: an equal text was accepted before.",
			"The same message was sent within a duplicate window.",
		],
		except: ["src/tools/local-gateway/**", "src/tools/control/**"],
	},
	"how an identical send within a window is answered (section 2.4: the response is not shown)": {
		pattern:
			/\b(?:equal|identical|same) (?:texts?|messages?|sends?)\b[^.]{0,60}\b(?:is|are|gets?|will be) (?:always |then )?(?:rejected|blocked|refused|a 409|409)\b|`duplicate_message`\) within a\b/i,
		examples: [
			"Equal texts to two customers are rejected as duplicates.",
			"The same text within five minutes gets 409.",
			" * @throws DuplicateMessageError (`duplicate_message`) within a duplicate window.",
		],
		// The windows of the command's own gateway, and a test against it.
		except: [
			"docs/command.md",
			"docs/local-gateway.md",
			"src/tools/{local-gateway,control,console}/**",
			"examples/**/*.test.ts",
		],
	},
	"lengths, counts, sizes and media types (section 8: payload limits and quotas are not shown)": {
		pattern:
			/\b(?:\d+|ten) MB\b|\b[\d,]*\d{3} (?:UTF-16 )?code units\b|\b(?:\d+|ten) attachments\b|\bfrom 1 to \d+\b(?! of)|\bup to [\d,]+ ms\b|\bMP3, M4A\b|\bat most [\d,]+ (?:characters|code units|attachments|items)\b/i,
		examples: [
			"Bytes are sent as base64, up to 10 MB each.",
			"The text: 1 to 18,996 UTF-16 code units.",
			"A message carries 1 to 10 attachments.",
			"Sends up to ten attachments.",
			"How many items a page holds, from 1 to 100.",
			"How long the indicator stays, up to 300,000 ms.",
			"A voice note is MP3, M4A or AAC.",
		],
		// The limits of the local gateway and of the memory that is measured.
		except: [
			"src/tools/local-gateway/**",
			"src/tools/control/**",
			"src/tools/console/**",
			"src/library/signing/**",
			"docs/performance.md",
			"docs/stores.md",
		],
	},
	"that our gateway's rules are the real one's (sections 2.3 and 2.4: the rules are not shown)": {
		pattern:
			/\bby the same rules\b|\bsame rules as (?:the|a) (?:real|live|remote)\b|\b(?:behaves|responds|works|rejects|accepts) (?:exactly |just )?(?:like|as) the (?:real|live)\b|\bruns the gateway's rules\b/i,
		examples: [
			"It rejects messages by the same rules.",
			"The local gateway behaves like the real one.",
			"`createLocalGateway()` runs the gateway's rules in your process.",
		],
	},
	"that a profile can express everything (it has signing, names, paths and shapes)": {
		pattern:
			/\b(?:the|every|each|all|all the|any)(?: open)? choices?,? (?:that )?the specification (?:leaves open|does not show)|\bprofile (?:is one object that )?(?:sets|holds|has|contains|expresses|describes) (?:what|everything|all that) (?:the specification|section [\d.]+) (?:does not show|leaves open)|\beverything[^.]{0,40} is in the profile\b|\bprofile[^.]{0,20} replaces without changes\b|`signing` holds what section/i,
		examples: [
			"Every choice that the specification leaves open, in one object.",
			"The choices that the specification leaves open.",
			"The profile is one object that sets what the specification does not show.",
			"Everything that is open is in the profile.",
		],
	},
};

/** The sentences of a text that state something without its mark. A sentence may continue in the next line, in comments too. */
function findPromises(text: string, { pattern }: OpenClaim): string[] {
	return splitSentences(text).flatMap((sentence) => {
		const found = pattern.exec(sentence);
		if (found === null) return [];
		// Code between comments is one long sentence.
		const before = sentence.slice(0, found.index).slice(-200);
		const after = sentence.slice(found.index + found[0].length).slice(0, 200);
		return MARK.test(before) || MARK.test(after) ? [] : [before + found[0] + after];
	});
}

/** Sentences, list items and cells of tables. Generated tables are left out, since they come from docstrings. */
function splitSentences(text: string): string[] {
	const written = text.replace(/<!-- ([\w-]+) -->[\s\S]*?<!-- \/\1 -->/g, "");
	const lines = written.split("\n").map((line) => {
		const words = line.replace(/^\s*(?:\/?\*+\/?|\/\/)?\s*/, "").trimEnd();
		return /^(?:\||- |#|$)/.test(words) ? `\0${words}` : words;
	});
	return lines.join(" ").split(/(?<=[.!?]) |\0| \*\/ | \| /);
}

describe("no published sentence states without a mark", () => {
	test.each(Object.entries(PROMISES))("%s", (_what, promise) => {
		const paths = globSync(PUBLISHED, { exclude: [...NOT_READ, ...(promise.except ?? [])] });
		expect(paths.length).toBeGreaterThan(200);
		const found = paths.flatMap((path) =>
			findPromises(readFileSync(path, "utf8"), promise).map((sentence) => `${path}: ${sentence}`),
		);
		expect(found).toEqual([]);
	});

	test.each(
		Object.entries(PROMISES).flatMap(([what, promise]) =>
			promise.examples.map((example) => ({ what, promise, example })),
		),
	)("$what: $example", ({ promise, example }) => {
		expect(findPromises(`An earlier one. ${example} A later one.`, promise)).toHaveLength(1);
		const marked = example.replace(/[.\s]*$/, " (assumed).");
		expect(findPromises(`An earlier one. ${marked} A later one.`, promise)).toEqual([]);
	});

	test("the mark is explained where the operations are listed", () => {
		expect(readFileSync("docs/assumed.md", "utf8")).toContain("In the guides, *assumed* beside a name means");
	});
});

describe("a field that the specification only names is described by its name", () => {
	const mapping = readMembers("src/library/catalogue/mappings.ts", "Mapping").filter(({ name }) =>
		name.endsWith("At"),
	);
	const duplicate = readMembers("src/library/errors.ts", "DuplicateInfo").filter(({ name }) =>
		/^is|Signature$/.test(name),
	);

	test.each([...mapping, ...duplicate])("$name", ({ text }) => {
		expect(text).toMatch(/^By its name, /);
	});

	test("these are the six timestamps of section 2.3 and three fields of section 2.4", () => {
		expect([mapping.length, duplicate.length]).toEqual([6, 3]);
	});
});

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A place in a user's file: `part` of the first `text` in it. */
export interface Place {
	file: string;
	text: string;
	part: string;
}

/** A target that an editor opens; lines and offsets count from 1. */
export interface Destination {
	file: string;
	start: { line: number; offset: number };
}

/** What an editor offers to complete a text with. */
export interface Completion {
	name: string;
	/** The comment, in one paragraph or more; empty without one. */
	documentation: string;
}

interface CompletionDetails {
	name: string;
	documentation: { text: string }[];
}

interface Response {
	request_seq?: number;
	success?: boolean;
	message?: string;
	body?: unknown;
}

/** TypeScript's language server for the files of one project, as editors use it. */
export class LanguageServer implements Disposable {
	readonly #folder: string;
	readonly #process: ChildProcessWithoutNullStreams;
	readonly #waiting = new Map<number, (response: Response) => void>();
	#lastRequest = 0;
	#received = Buffer.alloc(0);

	constructor(folder: string) {
		this.#folder = folder;
		const server = join(folder, "node_modules/typescript/lib/tsserver.js");
		const options = ["--disableAutomaticTypingAcquisition", "--suppressDiagnosticEvents"];
		this.#process = spawn(process.execPath, [server, ...options], { cwd: folder });
		this.#process.stdout.on("data", (chunk: Buffer) => this.#receive(chunk));
	}

	/** Opens a file, as an editor does before its requests. */
	open(file: string): void {
		this.#send("open", { file: join(this.#folder, file) });
	}

	/** What is shown under the pointer: the signature, and the first paragraph of the comment. */
	async hover(place: Place): Promise<string> {
		const shown = await this.#request<{ displayString: string; documentation: string }>("quickinfo", place);
		const [paragraph = ""] = shown.documentation.split("\n\n");
		return `${shown.displayString}\n${paragraph.replaceAll("\n", " ")}`.trim();
	}

	/** Where "go to definition" goes. */
	async definitions(place: Place): Promise<Destination[]> {
		return (await this.#request<{ definitions: Destination[] }>("definitionAndBoundSpan", place)).definitions;
	}

	/** Where "go to source definition" goes: to the code that runs. */
	sourceDefinitions(place: Place): Promise<Destination[]> {
		return this.#request<Destination[]>("findSourceDefinition", place);
	}

	/** What is offered at the start of the part. */
	async completions(place: Place): Promise<Completion[]> {
		const { entries } = await this.#request<{ entries: { name: string }[] }>("completionInfo", place);
		const entryNames = entries.map(({ name }) => name);
		const details = await this.#request<CompletionDetails[]>("completionEntryDetails", place, { entryNames });
		return details.map(({ name, documentation }) => ({
			name,
			documentation: documentation.map(({ text }) => text).join(""),
		}));
	}

	[Symbol.dispose](): void {
		this.#process.kill();
	}

	async #request<Body>(command: string, place: Place, more: object = {}): Promise<Body> {
		const request = this.#send(command, { ...this.#find(place), ...more });
		const response = await new Promise<Response>((resolve) => this.#waiting.set(request, resolve));
		if (response.success !== true) throw new Error(`${command} at ${place.text}: ${response.message}`);
		return response.body as Body;
	}

	#send(command: string, args: object): number {
		const seq = ++this.#lastRequest;
		this.#process.stdin.write(`${JSON.stringify({ seq, type: "request", command, arguments: args })}\n`);
		return seq;
	}

	#find({ file, text, part }: Place): object {
		const path = join(this.#folder, file);
		const content = readFileSync(path, "utf8");
		const start = content.indexOf(text);
		if (start === -1 || !text.includes(part)) throw new Error(`${file} does not hold ${part} in ${text}`);
		const lines = content.slice(0, start + text.indexOf(part)).split("\n");
		return { file: path, line: lines.length, offset: (lines.at(-1) ?? "").length + 1 };
	}

	/** Each message has a head with its length in bytes. */
	#receive(chunk: Buffer): void {
		this.#received = Buffer.concat([this.#received, chunk]);
		for (;;) {
			const head = /^Content-Length: (\d+)\r\n\r\n/.exec(this.#received.toString("latin1", 0, 64));
			if (head === null) return;
			const end = head[0].length + Number(head[1]);
			if (this.#received.length < end) return;
			const response: Response = JSON.parse(this.#received.toString("utf8", head[0].length, end));
			this.#received = this.#received.subarray(end);
			if (response.request_seq !== undefined) this.#waiting.get(response.request_seq)?.(response);
		}
	}
}

/** An engine that has what an app of React Native has: its own code is in the bundle, and its native parts are here. */
import { createContext, runInContext } from "node:vm";
import type { Cells, Gateway } from "./actions.ts";

/** An app that has the polyfills of the guide: they are in the bundle, and the native part of one is here. */
export const POLYFILLS = {
	HAS_POLYFILLS: true,
	nativeModuleProxy: {
		RNGetRandomValues: {
			getRandomBase64: (length: number) =>
				Buffer.from(crypto.getRandomValues(new Uint8Array(length))).toString("base64"),
		},
	},
};

/** It is made of strings only, as in React Native. */
class NativeBlob {
	readonly content: Blob;

	constructor(parts: readonly (string | Blob)[] = []) {
		if (parts.some((part) => typeof part !== "string" && !(part instanceof Blob)))
			throw new Error("Creating blobs from 'ArrayBuffer' and 'ArrayBufferView' are not supported");
		this.content = new Blob([...parts]);
	}
}

class NativeFileReader {
	result: unknown;
	onload?: () => void;
	onerror?: (error: unknown) => void;

	readAsText({ content }: NativeBlob): void {
		this.#finish(content.text());
	}

	readAsArrayBuffer({ content }: NativeBlob): void {
		this.#finish(content.arrayBuffer());
	}

	#finish(reading: Promise<unknown>): void {
		reading.then(
			(result) => {
				this.result = result;
				this.onload?.();
			},
			(error: unknown) => this.onerror?.(error),
		);
	}
}

/** The part that the `fetch` of React Native uses. */
class NativeXmlHttpRequest {
	#request = { method: "", url: "", headers: {} as Record<string, string> };
	#responseHeaders = "";
	responseType = "";
	response: unknown;
	status = 0;
	statusText = "";
	onload?: () => void;
	onerror?: (error: unknown) => void;

	open(method: string, url: string): void {
		this.#request = { method, url, headers: {} };
	}

	setRequestHeader(name: string, value: string): void {
		this.#request.headers[name] = value;
	}

	getAllResponseHeaders(): string {
		return this.#responseHeaders;
	}

	send(body: string | ArrayBuffer | undefined): void {
		const { url, ...init } = this.#request;
		this.#receive(fetch(url, { ...init, body: body ?? null })).then(
			() => this.onload?.(),
			(error: unknown) => this.onerror?.(error),
		);
	}

	async #receive(responding: Promise<Response>): Promise<void> {
		const response = await responding;
		this.#responseHeaders = Array.from(response.headers, (header) => `${header.join(": ")}\r\n`).join("");
		this.status = response.status;
		this.statusText = response.statusText;
		this.response = new NativeBlob([await response.blob()]);
	}
}

/** The engine's own, whose bytes are of its realm: a polyfill of `TextDecoder` reads no others. */
function engineEncoder(Bytes: Uint8ArrayConstructor): typeof TextEncoder {
	return class extends TextEncoder {
		override encode(value?: string): Uint8Array<ArrayBuffer> {
			return new Bytes(super.encode(value));
		}
	};
}

/** Runs the bundle of an app, and waits for its cells. */
export async function runInReactNative(bundle: string, gateway: Gateway, polyfills: object): Promise<Cells> {
	const context = createContext({});
	const globals = runInContext("globalThis", context);
	Object.assign(globals, {
		console,
		setTimeout,
		clearTimeout,
		queueMicrotask,
		performance,
		TextEncoder: engineEncoder(globals.Uint8Array),
		navigator: { product: "ReactNative" },
		Blob: NativeBlob,
		FileReader: NativeFileReader,
		XMLHttpRequest: NativeXmlHttpRequest,
		// Without polyfills, none of the app's native modules is here.
		RN$Bridgeless: true,
		nativeModuleProxy: {},
		GATEWAY: gateway,
		...polyfills,
	});
	runInContext(bundle, context);
	return await globals.cells;
}

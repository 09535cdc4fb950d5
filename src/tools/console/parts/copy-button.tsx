import { useEffect, useState } from "preact/hooks";

const SHOWN_MS = 1600;

/** Copies a string. `of` names it for screen readers. */
export function CopyButton({ of, text, word = "Copy" }: { of: string; text: string; word?: string }) {
	const [state, setState] = useState<"idle" | "good" | "bad">("idle");
	useEffect(() => {
		if (state === "idle") return undefined;
		const timer = setTimeout(() => setState("idle"), SHOWN_MS);
		return () => clearTimeout(timer);
	}, [state]);
	const copy = async (): Promise<void> => setState((await copyText(text)) ? "good" : "bad");
	const shown = { idle: word, good: "Copied", bad: "Not allowed" }[state];
	return (
		<button type="button" class={`copy ${state}`} onClick={() => void copy()}>
			<span aria-hidden="true">{shown}</span>
			<span class="visually-hidden">
				{word} {of}
			</span>
			<span class="visually-hidden" role="status">
				{state === "idle" ? "" : shown}
			</span>
		</button>
	);
}

/** Copies a string to the clipboard. @returns whether the browser allowed it. */
export async function copyText(text: string): Promise<boolean> {
	// `navigator.clipboard` exists only in secure contexts.
	if (!isSecureContext) return copyBySelection(text);
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		return copyBySelection(text);
	}
}

function copyBySelection(text: string): boolean {
	const focused = document.activeElement;
	const area = document.createElement("textarea");
	area.value = text;
	area.className = "visually-hidden";
	document.body.append(area);
	area.select();
	const isCopied = document.execCommand("copy");
	area.remove();
	if (focused instanceof HTMLElement) focused.focus();
	return isCopied;
}

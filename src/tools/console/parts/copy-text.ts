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

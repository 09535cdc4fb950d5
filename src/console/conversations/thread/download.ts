/** Saves bytes under a name. They lose their type: opened in a tab, a page among them would run as one of ours. */
export function download(bytes: Blob, name: string): void {
	const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
	const link = document.createElement("a");
	link.href = url;
	link.download = name;
	link.click();
	// The browser reads the address in its own time.
	setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

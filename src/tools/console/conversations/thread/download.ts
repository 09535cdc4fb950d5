/** Downloads bytes as a file. The generic type prevents HTML from running on the console's origin. */
export function download(bytes: Blob, name: string): void {
	const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
	const link = document.createElement("a");
	link.href = url;
	link.download = name;
	link.click();
	// The browser reads the URL asynchronously.
	setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

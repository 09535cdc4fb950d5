import { useEffect, useState } from "preact/hooks";
import type { ReceivedAttachment } from "../../../../library/catalogue/shared.ts";
import { useConsole } from "../console-context.ts";
import { Icon } from "../icons.tsx";

interface FileProps {
	readonly facts: ReturnType<typeof readAttachment>;
	readonly tabIndex: number;
}

/** An attachment: shown, played, downloaded or linked, depending on its type and location. */
export function Attachment({ facts, tabIndex }: FileProps) {
	const { id, link, form, name, size } = facts;
	if (id !== undefined) {
		const Kept = form === "file" ? SavedFile : Media;
		return <Kept facts={facts} id={id} tabIndex={tabIndex} />;
	}
	if (link !== undefined) return <LinkedFile facts={facts} url={link} tabIndex={tabIndex} />;
	return (
		<span class="file beside">
			<Icon name="file" />
			<bdi>{name}</bdi>
			{size !== null && <small>{size}</small>}
		</span>
	);
}

/** A link. The page never loads files of other servers: it would disclose the user, and the policy forbids it. */
function LinkedFile({ facts, url, tabIndex }: FileProps & { url: string }) {
	return (
		<a class="file beside" href={url} tabIndex={tabIndex} target="_blank" rel="noreferrer noopener">
			<Icon name="link" />
			<bdi>{facts.name}</bdi>
			<span class="visually-hidden"> (opens elsewhere)</span>
		</a>
	);
}

function SavedFile({ facts, id, tabIndex }: FileProps & { id: string }) {
	const { client, attempt } = useConsole();
	const save = async (): Promise<void> => {
		download(await client.attachment(id), facts.name);
	};
	return (
		<button type="button" class="file beside" tabIndex={tabIndex} onClick={() => void attempt(save)}>
			<Icon name="download" />
			<span class="visually-hidden">Save </span>
			<bdi>{facts.name}</bdi>
			{facts.size !== null && <small>{facts.size}</small>}
		</button>
	);
}

/** Downloads bytes as a file. The generic type prevents HTML from running on the console's origin. */
function download(bytes: Blob, name: string): void {
	const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
	const link = document.createElement("a");
	link.href = url;
	link.download = name;
	link.click();
	// The browser reads the URL asynchronously.
	setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** An image, audio or video that the page shows. */
function Media({ facts, id, tabIndex }: FileProps & { id: string }) {
	const { url, problem } = useKeptBytes(id);
	const { name, form } = facts;
	if (url === undefined) {
		return (
			<span>
				{problem === undefined && "Loading "}
				<bdi>{name}</bdi>
				{problem === undefined ? "…" : `: ${problem}`}
			</span>
		);
	}
	// biome-ignore lint/performance/noImgElement: this is not Next.js
	if (form === "image") return <img class="media" src={url} alt={name} />;
	const label = form === "audio" ? `Voice note ${name}` : `Video ${name}`;
	const Player = form === "audio" ? "audio" : "video";
	// Test messages have no captions.
	return (
		<Player class="media" src={url} controls preload="metadata" aria-label={label} tabIndex={tabIndex} />
	);
}

/**
 * Loads an attachment from the gateway as an object URL, because elements cannot send the token. The URL is revoked
 * with the component.
 */
function useKeptBytes(id: string): { readonly url?: string; readonly problem?: string } {
	const { client } = useConsole();
	const [bytes, setBytes] = useState<ReturnType<typeof useKeptBytes>>({});
	useEffect(() => {
		let isGone = false;
		let url: string | undefined;
		client.attachment(id).then(
			(blob) => {
				if (isGone) return;
				url = URL.createObjectURL(blob);
				setBytes({ url });
			},
			(error: Error) => setBytes({ problem: error.message }),
		);
		return () => {
			isGone = true;
			if (url !== undefined) URL.revokeObjectURL(url);
		};
	}, [client, id]);
	return bytes;
}

/** Images that every browser shows. SVG can contain scripts, so it is only offered as a file. */
const IMAGES = /^image\/(png|jpe?g|gif|webp|avif|bmp)$/i;

/** Reads an attachment. The specification does not document its shape, so every field is checked. */
export function readAttachment({ id, url, name, mimeType, size }: ReceivedAttachment) {
	const link = typeof url === "string" && isWebAddress(url) ? url : undefined;
	return {
		name: typeof name === "string" && name !== "" ? name : nameOfUrl(link),
		form: typeof mimeType === "string" ? formOf(mimeType) : "file",
		size: typeof size === "number" ? describeSize(size) : null,
		/** Of the bytes that the gateway keeps. */
		id: typeof id === "string" ? id : undefined,
		/** Where the bytes are elsewhere. */
		link,
	};
}

export function describeSize(bytes: number): string {
	if (bytes < 1_000) return `${bytes} B`;
	if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
	return `${(bytes / 1_000_000).toFixed(1).replace(".0", "")} MB`;
}

function formOf(mimeType: string) {
	if (IMAGES.test(mimeType)) return "image";
	if (/^audio\//i.test(mimeType)) return "audio";
	return /^video\//i.test(mimeType) ? "video" : "file";
}

/** Accepts only http and https URLs as links, not `javascript:`. */
function isWebAddress(url: string): boolean {
	return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

function nameOfUrl(url: string | undefined): string {
	return (url && new URL(url).pathname.split("/").pop()) || "attachment";
}

import { useEffect, useState } from "preact/hooks";
import type { ReceivedAttachment } from "../../../../library/catalogue/shared.ts";
import { useConsole } from "../console-context.ts";
import { Icon } from "../icons.tsx";

interface FileProps {
	readonly facts: AttachmentFacts;
	readonly tabIndex: number;
}

/** An attachment: shown, played, downloaded or linked, depending on its type and location. */
export function Attachment({ facts, tabIndex }: FileProps) {
	const { source, form } = facts;
	if (source.kind === "linked") return <LinkedFile facts={facts} url={source.url} tabIndex={tabIndex} />;
	if (source.kind === "none") {
		return (
			<span class="file beside">
				<Icon name="file" />
				<bdi>{facts.name}</bdi>
				{facts.size !== null && <small>{facts.size}</small>}
			</span>
		);
	}
	if (form === "file") return <SavedFile facts={facts} id={source.id} tabIndex={tabIndex} />;
	return <Media facts={facts} id={source.id} tabIndex={tabIndex} />;
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
	const bytes = useKeptBytes(id);
	const { name, form } = facts;
	if (bytes.state !== "ready") {
		return (
			<span>
				{bytes.state === "loading" && "Loading "}
				<bdi>{name}</bdi>
				{bytes.state === "loading" ? "…" : `: ${bytes.reason}`}
			</span>
		);
	}
	// biome-ignore lint/performance/noImgElement: this is not Next.js
	if (form === "image") return <img class="media" src={bytes.url} alt={name} />;
	const label = form === "audio" ? `Voice note ${name}` : `Video ${name}`;
	const Player = form === "audio" ? "audio" : "video";
	// Test messages have no captions.
	return (
		<Player
			class="media"
			src={bytes.url}
			controls
			preload="metadata"
			aria-label={label}
			tabIndex={tabIndex}
		/>
	);
}

type KeptBytes =
	| { readonly state: "loading" }
	| { readonly state: "ready"; readonly url: string }
	| { readonly state: "failed"; readonly reason: string };

const LOADING: KeptBytes = { state: "loading" };

/**
 * Loads an attachment from the gateway as an object URL, because elements cannot send the token. The URL is revoked
 * with the component.
 */
function useKeptBytes(id: string): KeptBytes {
	const { client } = useConsole();
	const [bytes, setBytes] = useState(LOADING);
	useEffect(() => {
		let isGone = false;
		let url: string | undefined;
		client.attachment(id).then(
			(blob) => {
				if (isGone) return;
				url = URL.createObjectURL(blob);
				setBytes({ state: "ready", url });
			},
			(error: Error) => setBytes({ state: "failed", reason: error.message }),
		);
		return () => {
			isGone = true;
			if (url !== undefined) URL.revokeObjectURL(url);
		};
	}, [client, id]);
	return bytes;
}

export type AttachmentForm = "image" | "audio" | "video" | "file";

export interface AttachmentFacts {
	readonly name: string;
	readonly form: AttachmentForm;
	readonly size: string | null;
	/** The location of its bytes: kept by the gateway, at another URL, or unknown. */
	readonly source:
		| { readonly kind: "kept"; readonly id: string }
		| { readonly kind: "linked"; readonly url: string }
		| { readonly kind: "none" };
}

/** Images that every browser shows. SVG can contain scripts, so it is only offered as a file. */
const IMAGES = /^image\/(png|jpe?g|gif|webp|avif|bmp)$/i;

/** Reads an attachment. The specification does not document its shape, so every field is checked. */
export function readAttachment(item: ReceivedAttachment): AttachmentFacts {
	const { id, url, name, mimeType, size } = item;
	const link = typeof url === "string" && isWebAddress(url) ? url : null;
	return {
		name: typeof name === "string" && name !== "" ? name : nameOfUrl(link),
		form: typeof mimeType === "string" ? formOf(mimeType) : "file",
		size: typeof size === "number" ? describeSize(size) : null,
		source:
			typeof id === "string"
				? { kind: "kept", id }
				: link !== null
					? { kind: "linked", url: link }
					: { kind: "none" },
	};
}

export function describeSize(bytes: number): string {
	if (bytes < 1_000) return `${bytes} B`;
	if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
	return `${(bytes / 1_000_000).toFixed(1).replace(".0", "")} MB`;
}

function formOf(mimeType: string): AttachmentForm {
	if (IMAGES.test(mimeType)) return "image";
	if (/^audio\//i.test(mimeType)) return "audio";
	return /^video\//i.test(mimeType) ? "video" : "file";
}

/** Accepts only http and https URLs as links, not `javascript:`. */
function isWebAddress(url: string): boolean {
	return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

function nameOfUrl(url: string | null): string {
	const last = url === null ? undefined : new URL(url).pathname.split("/").pop();
	return last === undefined || last === "" ? "attachment" : last;
}

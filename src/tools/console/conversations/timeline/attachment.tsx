import { useEffect, useState } from "preact/hooks";
import { useConsole } from "../console-context.ts";
import { Icon } from "../icons.tsx";
import type { AttachmentFacts } from "../state/attachment-facts.ts";

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
			<span class="file">
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
		<a class="file" href={url} tabIndex={tabIndex} target="_blank" rel="noreferrer noopener">
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
		<button type="button" class="file" tabIndex={tabIndex} onClick={() => void attempt(save)}>
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

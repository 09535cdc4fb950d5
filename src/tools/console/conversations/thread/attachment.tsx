import { useConsole } from "../console-context.ts";
import { type KeptBytes, useKeptBytes } from "../hooks/use-kept-bytes.ts";
import { useNearView } from "../hooks/use-near-view.ts";
import { Icon } from "../icons.tsx";
import type { AttachmentFacts } from "../state/attachment-facts.ts";
import { download } from "./download.ts";

/** An attachment: shown, played, downloaded or linked, depending on its type and location. */
export function Attachment({ facts }: { facts: AttachmentFacts }) {
	const { source, form } = facts;
	if (source.kind === "linked") return <LinkedFile facts={facts} url={source.url} />;
	if (source.kind === "none") return <FileLabel facts={facts} />;
	if (form === "file") return <SavedFile facts={facts} id={source.id} />;
	return <Media facts={facts} id={source.id} />;
}

/** A link. The page never loads files of other servers: it would disclose the user, and the policy forbids it. */
function LinkedFile({ facts, url }: { facts: AttachmentFacts; url: string }) {
	return (
		<a class="file" href={url} target="_blank" rel="noreferrer noopener">
			<Icon name="link" />
			<bdi>{facts.name}</bdi>
			<span class="visually-hidden"> (opens elsewhere)</span>
		</a>
	);
}

function FileLabel({ facts }: { facts: AttachmentFacts }) {
	return (
		<span class="file">
			<Icon name="file" />
			<bdi>{facts.name}</bdi>
			{facts.size !== null && <small>{facts.size}</small>}
		</span>
	);
}

function SavedFile({ facts, id }: { facts: AttachmentFacts; id: string }) {
	const { client, notify } = useConsole();
	const save = async (): Promise<void> => {
		try {
			download(await client.attachment(id), facts.name);
		} catch (error) {
			notify({ tone: "problem", text: error instanceof Error ? error.message : String(error) });
		}
	};
	return (
		<button type="button" class="file" onClick={() => void save()}>
			<Icon name="download" />
			<span class="visually-hidden">Save </span>
			<bdi>{facts.name}</bdi>
			{facts.size !== null && <small>{facts.size}</small>}
		</button>
	);
}

/** An image, audio or video that the page shows. */
function Media({ facts, id }: { facts: AttachmentFacts; id: string }) {
	const { target, isNear } = useNearView<HTMLSpanElement>(".thread-scroll");
	const bytes = useKeptBytes(isNear ? id : null);
	return (
		<span ref={target} class={`media media-${facts.form}`}>
			<MediaElement facts={facts} bytes={bytes} />
		</span>
	);
}

function MediaElement({ facts, bytes }: { facts: AttachmentFacts; bytes: KeptBytes }) {
	if (bytes.state === "loading")
		return (
			<span class="media-note">
				Loading <bdi>{facts.name}</bdi>…
			</span>
		);
	if (bytes.state === "failed") {
		return (
			<span class="media-note">
				<bdi>{facts.name}</bdi>: {bytes.reason}
			</span>
		);
	}
	// biome-ignore lint/performance/noImgElement: this is not Next.js
	if (facts.form === "image") return <img src={bytes.url} alt={facts.name} />;
	const label = facts.form === "audio" ? `Voice note ${facts.name}` : `Video ${facts.name}`;
	const Player = facts.form === "audio" ? "audio" : "video";
	// Test messages have no captions.
	return <Player src={bytes.url} controls preload="metadata" aria-label={label} />;
}

import { useEffect, useRef, useState } from "preact/hooks";
import { useConsole } from "../console-context.ts";
import { type Entry, hasFailed, loadEntries, toEntry } from "../state/entries.ts";
import { type HistoryState, ListHistory, UNLOADED } from "../state/list-history.ts";

/** The entries of a timeline, as far as they are loaded, and what loads more of them. */
export type Timeline = ReturnType<typeof useTimeline>;

interface TimelineOptions {
	readonly conversation: string | undefined;
	readonly areProbesShown: boolean;
	readonly isOnlyFailed: boolean;
	readonly isOnlyMessages: boolean;
	/** The `sequence` of an entry to begin around. */
	readonly around: number | undefined;
}

/** Loads the entries in pages and keeps them up to date; it begins with the newest, or around one. */
export function useTimeline(options: TimelineOptions) {
	const { conversation, areProbesShown, isOnlyFailed, isOnlyMessages, around } = options;
	const { client, follow } = useConsole();
	const [state, setState] = useState<HistoryState<Entry>>(UNLOADED);
	const history = useRef<ListHistory<Entry>>(undefined);
	useEffect(() => {
		const probe = areProbesShown ? undefined : false;
		const loaded = new ListHistory<Entry>(
			(page, signal) =>
				loadEntries(client, { ...page, conversation, probe, failed: isOnlyFailed, isOnlyMessages }, signal),
			setState,
		);
		history.current = loaded;
		const isSelected = (entry: Entry | undefined): entry is Entry => {
			if (entry === undefined || (isOnlyMessages && entry.kind !== "message")) return false;
			const isProbe = entry.kind === "request" && entry.request.probe === true;
			const isHere = conversation === undefined || entry.conversationKey === conversation;
			return isHere && (areProbesShown || !isProbe) && (!isOnlyFailed || hasFailed(entry));
		};
		const stop = follow((changes) => {
			if (changes === "all") loaded.reload();
			else loaded.update(changes.map(toEntry).filter(isSelected));
		});
		loaded.showNewest();
		return () => {
			stop();
			loaded.close();
		};
	}, [client, follow, conversation, areProbesShown, isOnlyFailed, isOnlyMessages]);
	// biome-ignore lint/correctness/useExhaustiveDependencies: another selection begins anew
	useEffect(() => {
		if (around !== undefined) history.current?.showAround(around);
	}, [around, isOnlyFailed, isOnlyMessages]);
	return { ...state, history };
}

/** The entry with this `sequence`; it stays known when it is no longer in the timeline. */
export function useEntry(sequence: number | undefined, { window }: Timeline): Entry | undefined {
	const { follow } = useConsole();
	const [kept, setKept] = useState<Entry>();
	const loaded = window.items.find((entry) => entry.sequence === sequence);
	useEffect(() => {
		if (loaded !== undefined) setKept(loaded);
	}, [loaded]);
	useEffect(
		() =>
			follow((changes) => {
				if (changes === "all") return setKept(undefined);
				setKept(
					(known) => changes.map(toEntry).findLast((entry) => entry?.sequence === known?.sequence) ?? known,
				);
			}),
		[follow],
	);
	return loaded ?? (kept?.sequence === sequence ? kept : undefined);
}

import type { ConversationSearch } from "../state/conversations.ts";

/** Shows all conversations. */
export const NO_SEARCH: ConversationSearch = { text: "", isOnlyFailed: false };

/** Searches conversations and messages. */
export function SearchBar({
	search,
	onSearch,
}: {
	search: ConversationSearch;
	onSearch: (search: ConversationSearch) => void;
}) {
	const change = (fields: Partial<ConversationSearch>): void => {
		const next = { ...search, ...fields };
		onSearch(next.text === "" && !next.isOnlyFailed ? NO_SEARCH : next);
	};
	return (
		<search class="search-bar">
			<input
				type="search"
				aria-label="Search contacts, texts and ids"
				placeholder="Search"
				autocomplete="off"
				spellcheck={false}
				value={search.text}
				onInput={({ currentTarget }) => change({ text: currentTarget.value })}
				onKeyDown={(event) => {
					if (event.key === "Escape" && search.text !== "") change({ text: "" });
				}}
			/>
			<button
				type="button"
				class="chip"
				aria-pressed={search.isOnlyFailed}
				onClick={() => change({ isOnlyFailed: !search.isOnlyFailed })}
			>
				Failed
			</button>
		</search>
	);
}

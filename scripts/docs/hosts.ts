/** What works in each host. */
import { ACTIONS, HOSTS, type HostRow } from "../../test/hosts/matrix.ts";

const MARKS = ["¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"];

const IN_PUBLIC =
	"Strangers can read the code, so the client rejects an App Secret. [Sign on your server](credentials.md).";

/** The head and the rows of the guide's table, and the notes below it. */
export function describeHosts() {
	const notes: string[] = [];
	/** The mark of a note, which is listed once. */
	const mark = (note: string): string => {
		if (!notes.includes(note)) notes.push(note);
		return MARKS[notes.indexOf(note)] ?? "";
	};
	const rows = HOSTS.map(({ name, variants, isPublic, lacks = {}, note }: HostRow) => [
		(variants === undefined ? name : `${name} (${variants.join(", ")})`) +
			[isPublic === true ? mark(IN_PUBLIC) : "", note === undefined ? "" : mark(note)]
				.filter((each) => each !== "")
				.join(", "),
		...ACTIONS.map((action) => (lacks[action] === undefined ? "✓" : `no \`${lacks[action]}\``)),
	]);
	return { head: ["host", ...ACTIONS], rows, notes: notes.map((note) => `${mark(note)} ${note}`) };
}

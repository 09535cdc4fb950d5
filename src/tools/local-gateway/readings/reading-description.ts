/** What the specification says about a point, and what a gateway that understands it differently does. */
export interface ReadingDescription {
	/** The section of the specification. */
	readonly section: string;
	/** The words of the specification, literally. */
	readonly quotation: string;
	/** Whether the quotation leaves the point open. `false` if the reading contradicts it, as a real gateway may. */
	readonly isOpen: boolean;
	/** What such a gateway does. */
	readonly summary: string;
	/** What an application should do to work with it. */
	readonly advice: string;
}

/** The descriptions of some readings, by name; the type has the names. */
export function describeReadings<Name extends string>(
	descriptions: Readonly<Record<Name, ReadingDescription>>,
): Readonly<Record<Name, ReadingDescription>> {
	return descriptions;
}

/** A point of the specification, and a gateway that understands it differently. */
export interface ReadingDescription {
	/** The number of the place in the specification. */
	readonly section: string;
	/** The words of the specification, literally. */
	readonly quotation: string;
	/**
	 * Whether the quotation leaves the point open. It is `false` if the reading contradicts it, as a real gateway may.
	 */
	readonly isOpen: boolean;
	/** How such a gateway differs. */
	readonly summary: string;
	/** How your application can work with it. */
	readonly advice: string;
}

/** The descriptions of some readings, by name; the type has the names. */
export function describeReadings<Name extends string>(
	descriptions: Readonly<Record<Name, ReadingDescription>>,
): Readonly<Record<Name, ReadingDescription>> {
	return descriptions;
}

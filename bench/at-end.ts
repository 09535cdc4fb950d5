/** Registers a function that runs at the end, to clean up; the last one runs first. */
export type AtEnd = (close: () => unknown) => void;

/** A decimal number without leading and trailing zeros: 0 has no digits at all. */
interface Decimal {
	readonly isNegative: boolean;
	readonly digits: string;
	/** The power of ten of the last digit. */
	readonly exponent: number;
}

/** Whether two JSON numbers are exactly the same number, however each is written; -0 is 0. */
export function isSameDecimal(left: string, right: string): boolean {
	const one = readDecimal(left);
	const other = readDecimal(right);
	if (one.digits !== other.digits) return false;
	return one.digits === "" || (one.isNegative === other.isNegative && one.exponent === other.exponent);
}

function readDecimal(number: string): Decimal {
	const [mantissa = "", power = "0"] = number.toLowerCase().split("e");
	const [integer = "", fraction = ""] = mantissa.replace("-", "").split(".");
	const digits = (integer + fraction).replace(/^0+/, "");
	const end = lastNonZero(digits) + 1;
	return {
		isNegative: mantissa.startsWith("-"),
		digits: digits.slice(0, end),
		exponent: Number(power) - fraction.length + (digits.length - end),
	};
}

/** A loop, since a regular expression for the last run of zeros tries every run before it. */
function lastNonZero(digits: string): number {
	let at = digits.length - 1;
	while (digits[at] === "0") at--;
	return at;
}

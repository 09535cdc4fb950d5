/** What something of a size costs. */
export interface Point {
	readonly size: number;
	readonly cost: number;
}

/**
 * The exponent with which the cost grows: 0 where the size does not matter, 1 where it is linear. Least squares over
 * the logarithms.
 */
export function fitExponent(points: readonly Point[]): number {
	const logs = points.map(({ size, cost }) => ({ x: Math.log(size), y: Math.log(cost) }));
	const meanX = mean(logs.map(({ x }) => x));
	const meanY = mean(logs.map(({ y }) => y));
	const covariance = mean(logs.map(({ x, y }) => (x - meanX) * (y - meanY)));
	return covariance / mean(logs.map(({ x }) => (x - meanX) ** 2));
}

function mean(values: readonly number[]): number {
	return values.reduce((sum, value) => sum + value, 0) / values.length;
}

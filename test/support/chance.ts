// A setup file of vitest. Stores sweep after one write in 50, by chance, and a test that counts statements must not be red
// by chance: without `vi.spyOn(Math, "random")` none sweeps.
const { random } = Math;

/** Files share a worker: what is replaced already stays. */
if (random.name !== "withoutSweeps") {
	Math.random = function withoutSweeps() {
		return 1 / 50 + (random() * 49) / 50;
	};
}
